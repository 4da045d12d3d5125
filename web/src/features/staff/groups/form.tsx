import type { RowOf } from '@/api/call'
import { notifySuccess } from '@/api/notices'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { TextField } from '@/kit/form/fields'
import { FormDrawer } from '@/kit/form/form-drawer'
import { useForm } from '@/kit/form/use-form'
import { useSave } from '@/kit/form/use-save'
import { kitMessages } from '@/kit/messages'
import * as people from '@/rules/people'
import { required } from '@/rules/texts'
import { messages } from './messages'

interface GroupName {
  groupName: string
}

interface GroupFormProps {
  group?: RowOf<'groupList'>
  isCopy?: boolean
  onClose: () => void
}

const refresh = ['groupList', 'groupListAll', 'groupRightsGet', 'operatorList'] as const

/** Creates a group, renames the one that is given, or copies it under another name. */
export default function GroupForm({ group, isCopy = false, onClose }: GroupFormProps) {
  const m = useMessages(messages)
  const k = useMessages(kitMessages)
  const original = group?.groupName ?? ''
  const form = useForm<GroupName>({
    defaultValues: { groupName: isCopy ? m.copyName(original).slice(0, 32) : original },
  })
  const copy = useApiMutation('groupCopy', { refresh })
  const send = useSave<object>('group', group?.id, { refresh })

  async function save(values: GroupName) {
    if (!group || !isCopy) return send(group ? { ...values, id: group.id } : values)
    await copy.mutateAsync({ path: { id: group.id }, body: values })
    notifySuccess(k.saved)
  }

  const title = isCopy ? m.copyTitle(original) : group ? m.renameTitle(original) : m.create
  return (
    <FormDrawer form={form} save={save} title={title} messages={messages} onClose={onClose}>
      <TextField
        name="groupName"
        rules={[required, people.groupName]}
        maxLength={32}
        hint={isCopy ? m.copyHint : m.nameHint}
      />
    </FormDrawer>
  )
}

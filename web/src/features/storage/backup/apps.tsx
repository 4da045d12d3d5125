import { useMemo } from 'react'
import type { CallParts, RowOf } from '@/api/call'
import { notifySuccess } from '@/api/notices'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { FormDialog } from '@/kit/form/form-dialog'
import { useForm } from '@/kit/form/use-form'
import { Labels } from '@/kit/labels'
import { ReferenceField } from '@/kit/reference/reference-field'
import { required } from '@/rules/texts'
import { phonesOn } from '../../cloudPhone/links'
import { messages } from './messages'

type Backup = Pick<RowOf<'backupList'>, 'id' | 'user'>
type Input = CallParts<'backupApps'>['body']

/** Asks on which of the user's phones the apps of a copy are to be installed. */
export default function InstallApps({ of: { id, user }, onClose }: { of: Backup; onClose: () => void }) {
  const m = useMessages(messages)
  const form = useForm<Input>({ defaultValues: {} })
  const install = useApiMutation('backupApps', { refresh: ['phoneSagas', 'phoneList', 'phoneGet', 'operationLogList'] })
  const phones = useMemo(() => phonesOn(user.id), [user.id])
  const save = async (body: Input) => {
    await install.mutateAsync({ path: { id }, body })
    notifySuccess(m.appsBegun)
    onClose()
  }
  return (
    <Labels messages={messages}>
      <FormDialog form={form} save={save} title={m.apps} okText={m.apps} hasFields onClose={onClose}>
        <p>{m.appsHint}</p>
        <ReferenceField name="phoneId" source={phones} rules={[required]} />
      </FormDialog>
    </Labels>
  )
}

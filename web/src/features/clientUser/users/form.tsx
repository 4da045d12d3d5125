import type { CallParts, DataOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { TextAreaField, TextField } from '@/kit/form/fields'
import { FormDrawer } from '@/kit/form/form-drawer'
import { useForm } from '@/kit/form/use-form'
import { useSave } from '@/kit/form/use-save'
import { email, phone } from '@/rules/contact'
import { line, maxChars, noLeadingSpace, required } from '@/rules/texts'
import { messages } from './messages'

type ClientUserInput = CallParts<'clientUserCreate'>['body']

/** Creates a customer, or changes the one that is given. */
export default function ClientUserForm({ user, onClose }: { user?: DataOf<'clientUserGet'>; onClose: () => void }) {
  const m = useMessages(messages)
  const form = useForm<ClientUserInput>({ defaultValues: user ?? {} })
  const save = useSave<ClientUserInput>('clientUser', user?.id, { refresh: ['clientUserPage', 'clientUserGet'] })

  return (
    <FormDrawer
      form={form}
      save={save}
      title={user ? m.editTitle(user.name) : m.create}
      messages={messages}
      onClose={onClose}
    >
      <TextField name="name" rules={[required, line(64)]} />
      <TextField name="phone" rules={[phone]} />
      <TextField name="email" rules={[email]} />
      <TextField name="identCode" rules={[line(25)]} hint={user ? undefined : m.identCodeHint} />
      <TextAreaField name="remark" maxLength={256} rules={[noLeadingSpace, maxChars(256)]} />
    </FormDrawer>
  )
}

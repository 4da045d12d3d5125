import type { CallParts, DataOf } from '@/api/call'
import { notifySuccess } from '@/api/notices'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { TextAreaField, TextField } from '@/kit/form/fields'
import { FormDrawer } from '@/kit/form/form-drawer'
import { useForm } from '@/kit/form/use-form'
import { kitMessages } from '@/kit/messages'
import { email, phone } from '@/rules/contact'
import { maxChars, noLeadingSpace } from '@/rules/texts'
import { messages } from './messages'

type ProfileInput = NonNullable<CallParts<'ownProfileUpdate'>['body']>

/** What an operator writes about himself; name, group and account type are for administrators. */
export default function ProfileForm(props: { profile: DataOf<'ownProfileGet'>; onClose: () => void }) {
  const m = useMessages(messages)
  const k = useMessages(kitMessages)
  const { email: address, phone: number, remark } = props.profile
  const form = useForm<ProfileInput>({ defaultValues: { email: address, phone: number, remark } })
  const update = useApiMutation('ownProfileUpdate', {
    refresh: ['ownProfileGet', 'ownActList', 'operatorList', 'operatorGet'],
    suppressNotice: true,
  })

  async function save(body: ProfileInput) {
    await update.mutateAsync({ body })
    notifySuccess(k.saved)
  }

  return (
    <FormDrawer form={form} save={save} title={m.edit} messages={messages} onClose={props.onClose}>
      <TextField name="email" rules={[email]} autoComplete="email" />
      <TextField name="phone" rules={[phone]} autoComplete="tel" />
      <TextAreaField name="remark" maxLength={256} rules={[noLeadingSpace, maxChars(256)]} />
    </FormDrawer>
  )
}

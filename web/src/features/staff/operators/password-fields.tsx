import { useMessages } from '@/i18n/messages'
import { PasswordField } from '@/kit/form/fields'
import * as people from '@/rules/people'
import { required } from '@/rules/texts'
import { Form } from '@/ui/form'
import { messages } from './messages'

/** A new password of an operator, twice. */
export default function PasswordFields(props: { username: string }) {
  const m = useMessages(messages)
  const form = Form.useFormInstance()
  return (
    <>
      <PasswordField
        name="password"
        label={m.newPassword}
        rules={[required, people.password, (text) => people.passwordWithoutName(text, props.username)]}
        hint={m.newPasswordHint}
      />
      <PasswordField
        name="confirmPassword"
        label={m.fields.confirmPassword}
        rules={[required, (again) => people.passwordsMatch(form.getFieldValue('password') ?? '', again)]}
      />
    </>
  )
}

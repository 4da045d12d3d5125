import { useMessages } from '@/i18n/messages'
import { PasswordField, TextField } from '@/kit/form/fields'
import { required } from '@/rules/texts'
import { securityMessages } from './messages'

/** What confirms one's identity: a code and, for more critical actions, the password. */
export default function ProofFields({ withPassword = false }: { withPassword?: boolean }) {
  const { fields } = useMessages(securityMessages)
  return (
    <>
      {withPassword && (
        <PasswordField name="password" label={fields.password} rules={[required]} autoComplete="current-password" />
      )}
      <TextField name="code" label={fields.code} rules={[required]} autoComplete="one-time-code" maxLength={32} />
    </>
  )
}

import { useState } from 'react'
import { encryptPassword } from '@/api/password'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { required } from '@/rules/texts'
import { PasswordField, TextField } from '../form/fields'
import { FormDialog } from '../form/form-dialog'
import { useForm } from '../form/use-form'
import { stepUpMessages } from './step-up-messages'

interface StepUpDialogProps {
  /** Two-step verification is on: a code is accepted in place of the password. */
  withCode: boolean
  onAnswer: (isProved: boolean) => void
}

/** Asks to confirm the identity in the middle of an action, by password or code. The action then continues by itself. */
export default function StepUpDialog({ withCode, onAnswer }: StepUpDialogProps) {
  const m = useMessages(stepUpMessages)
  const form = useForm<{ password?: string; code?: string }>({ defaultValues: {} })
  const [isByCode, setByCode] = useState(false)
  const prove = useApiMutation('stepUp', { suppressNotice: true })

  async function save({ password = '', code = '' }: { password?: string; code?: string }) {
    await prove.mutateAsync({ body: isByCode ? { code } : { password: await encryptPassword(password) } })
    onAnswer(true)
  }

  return (
    <FormDialog form={form} save={save} title={m.title} okText={m.confirm} hasFields onClose={() => onAnswer(false)}>
      <p>{m.text}</p>
      {isByCode ? (
        <TextField
          key="code"
          name="code"
          label={m.fields.code}
          rules={[required]}
          autoComplete="one-time-code"
          maxLength={32}
        />
      ) : (
        <PasswordField
          key="password"
          name="password"
          label={m.fields.password}
          rules={[required]}
          autoComplete="current-password"
        />
      )}
      {withCode && (
        <button type="button" className="sky-link" onClick={() => setByCode(!isByCode)}>
          {isByCode ? m.usePassword : m.useCode}
        </button>
      )}
    </FormDialog>
  )
}

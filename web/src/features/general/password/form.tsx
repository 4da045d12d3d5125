import { type FormEvent, useState } from 'react'
import { useSession } from '@/access/session'
import { leave } from '@/access/sign-out'
import { request } from '@/api/client'
import { errorTexts } from '@/api/errors'
import { isApiFailure } from '@/api/failure'
import { encryptPassword } from '@/api/password'
import { currentLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import * as people from '@/rules/people'
import { ruleMessage, type Verdict } from '@/rules/violation'
import { Dialog } from '@/ui/dialog'
import { PasswordInput } from '@/ui/password-input'
import { messages } from './messages'

type FieldName = 'oldPassword' | 'password' | 'confirmPassword'
type Values = Record<FieldName, string>
type Problems = Partial<Record<FieldName | 'form', string>>

const blank: Values = { oldPassword: '', password: '', confirmPassword: '' }
const names: readonly FieldName[] = ['oldPassword', 'password', 'confirmPassword']

async function changePassword({ oldPassword, password }: Values) {
  // The new password travels once: the same ciphertext stands for both fields.
  const encrypted = await encryptPassword(password)
  const body = { oldPassword: await encryptPassword(oldPassword), password: encrypted, confirmPassword: encrypted }
  await request('POST', '/api/user/v1/designjet/login/updatePassword', { body }, { suppressNotice: true })
}

interface PasswordFormProps {
  forced: boolean
  /** Why the server insists: its code, or its sentence. */
  reason: string
  onClose: () => void
}

/** The change-password dialog. Success logs out: the server ends every session of this operator. */
export default function PasswordForm({ forced, reason, onClose }: PasswordFormProps) {
  const m = useMessages(messages)
  const shared = useMessages(errorTexts)
  const username = useSession((session) => session.username)
  const [values, setValues] = useState(blank)
  const [problems, setProblems] = useState<Problems>({})
  const [busy, setBusy] = useState(false)

  function check(): Problems {
    const found: Problems = {}
    const note = (field: FieldName, verdict: Verdict) => {
      if (verdict) found[field] ??= ruleMessage(verdict, currentLanguage())
    }
    note('oldPassword', people.loginPassword(values.oldPassword))
    note('password', people.password(values.password))
    note('password', people.passwordWithoutName(values.password, username))
    if (!found.password && values.password === values.oldPassword) found.password = m.same
    note('confirmPassword', people.passwordsMatch(values.password, values.confirmPassword))
    return found
  }

  function explain(error: unknown) {
    if (!isApiFailure(error)) return setProblems({ form: shared.network })
    const fields = error.errors.filter(({ field }) => (names as readonly string[]).includes(field))
    const entries = fields.map(({ field, message }) => [field, message] as const)
    setProblems(entries.length > 0 ? Object.fromEntries(entries) : { form: error.msg })
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (busy) return
    const found = check()
    setProblems(found)
    if (Object.keys(found).length > 0) return
    setBusy(true)
    try {
      await changePassword(values)
      leave({ tone: 'good', text: m.changed })
    } catch (error) {
      explain(error)
      setBusy(false)
    }
  }

  const field = (name: FieldName, autoComplete: 'current-password' | 'new-password', hint?: string) => (
    <PasswordInput
      label={m[name]}
      value={values[name]}
      onChange={(value) => setValues({ ...values, [name]: value })}
      error={problems[name]}
      hint={hint}
      autoComplete={autoComplete}
      showLabel={m.show}
      hideLabel={m.hide}
      capsLockText={m.capsLock}
    />
  )
  const known = m.reasons as Readonly<Record<string, string>>

  return (
    <Dialog title={m.title} onClose={forced ? undefined : onClose}>
      <form onSubmit={submit} noValidate>
        {forced && <p role="alert">{known[reason] ?? m.forced}</p>}
        {problems.form && (
          <p className="plain-error" role="alert">
            {problems.form}
          </p>
        )}
        {field('oldPassword', 'current-password')}
        {field('password', 'new-password', m.rule)}
        {field('confirmPassword', 'new-password')}
        <p className="plain-hint">{m.afterwards}</p>
        <div className="shell-dialog-actions">
          <button type="button" className="plain-button" onClick={() => (forced ? leave() : onClose())}>
            {forced ? m.logOut : m.cancel}
          </button>
          <button type="submit" className="plain-button" data-primary disabled={busy}>
            {busy ? m.submitting : m.submit}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

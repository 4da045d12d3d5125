import { type FormEvent, useEffect, useRef, useState } from 'react'
import { errorTexts } from '@/api/errors'
import { isApiFailure } from '@/api/failure'
import { useMessages } from '@/i18n/messages'
import { Dialog } from '@/ui/dialog'
import { PlainTextInput } from '@/ui/text-input'
import { messages } from './messages'
import { codeAskedBy, type Provider, signInWithCode } from './sign-in'

interface SocialCodeProps {
  provider: Provider
  onEntered: () => void
  onClose: () => void
}

/** Asks for the person's own code, where the provider has proved no second factor. */
export function SocialCode({ provider, onEntered, onClose }: SocialCodeProps) {
  const m = useMessages(messages)
  const shared = useMessages(errorTexts)
  const [authCode, setAuthCode] = useState('')
  const [problem, setProblem] = useState<string>()
  const [refusal, setRefusal] = useState<string>()
  const [busy, setBusy] = useState(false)
  const code = useRef<HTMLInputElement>(null)

  // The dialog has changed under the person's hands; the cursor belongs into its only field.
  useEffect(() => code.current?.focus(), [])

  function explain(error: unknown) {
    const said = isApiFailure(error) ? error.errors.find(({ field }) => field === 'authCode') : undefined
    setAuthCode('')
    if (codeAskedBy(error) === 'totp') setProblem(said?.message ?? m.codeMissing)
    else setRefusal(isApiFailure(error) ? error.msg || m.failed : shared.network)
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    // The page's own form is above this one in React's tree, and would sign in with it.
    event.stopPropagation()
    if (busy) return
    setRefusal(undefined)
    setProblem(authCode.trim() === '' ? m.codeMissing : undefined)
    if (authCode.trim() === '') return
    setBusy(true)
    try {
      await signInWithCode(provider.id, authCode)
      onEntered()
    } catch (error) {
      explain(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Dialog title={m.otherWays} onClose={onClose} width={360}>
      <form onSubmit={submit} noValidate>
        <p className="plain-hint">{m.codeNeeded(provider.name)}</p>
        {refusal && (
          <p className="plain-error" role="alert">
            {refusal}
          </p>
        )}
        <PlainTextInput
          label={m.totp}
          hint={m.totpHint}
          value={authCode}
          onChange={setAuthCode}
          autoComplete="one-time-code"
          error={problem}
          inputRef={code}
        />
        <div className="shell-dialog-actions">
          <button type="button" className="plain-button" onClick={onClose}>
            {m.close}
          </button>
          <button type="submit" className="plain-button" data-primary disabled={busy}>
            {busy ? m.submitting : m.submit}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

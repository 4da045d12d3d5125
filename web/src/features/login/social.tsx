import { useEffect, useRef, useState } from 'react'
import { type Awaited, awaitHandover } from '@/access/handover'
import { addressOf } from '@/api/address'
import { useMessages } from '@/i18n/messages'
import { Dialog } from '@/ui/dialog'
import { messages } from './messages'
import type { Provider } from './sign-in'
import { SocialCode } from './social-code'

interface SocialDialogProps {
  providers: readonly Provider[]
  /** A session, or why there is none. */
  onAnswer: (answer: Exclude<Awaited<'signedIn'>, { kind: 'codeNeeded' }>) => void
  /** The session has begun with the person's own code. */
  onEntered: () => void
  onClose: () => void
}

/** Lists the configured providers and opens the chosen one's window. */
export function SocialDialog({ providers, onAnswer, onEntered, onClose }: SocialDialogProps) {
  const m = useMessages(messages)
  const [waitingFor, setWaitingFor] = useState<string>()
  const [blocked, setBlocked] = useState(false)
  const [codeFor, setCodeFor] = useState<string>()
  const stop = useRef<() => void>(undefined)

  // A dialog that is gone must not sign anybody in.
  useEffect(() => () => stop.current?.(), [])

  function start(provider: Provider) {
    stop.current?.()
    const address = addressOf('/api/user/v1/client/login/oidc/{id}/start', { path: { id: provider.id } })
    const popup = window.open(address, 'skyrack-sign-in', 'popup,width=520,height=680')
    setBlocked(popup === null)
    if (!popup) return
    setWaitingFor(provider.name)
    stop.current = awaitHandover(popup, 'signedIn', (answer) => {
      if (answer.kind === 'codeNeeded') setCodeFor(answer.provider)
      else onAnswer(answer)
    })
  }

  const asking = providers.find(({ id }) => id === codeFor)
  if (asking) return <SocialCode provider={asking} onEntered={onEntered} onClose={onClose} />

  return (
    <Dialog title={m.otherWays} onClose={onClose} width={360}>
      <p className="plain-hint">{waitingFor ? m.waiting(waitingFor) : m.chooseProvider}</p>
      {blocked && (
        <p className="plain-error" role="alert">
          {m.popupBlocked}
        </p>
      )}
      <div className="login-providers">
        {providers.map((provider) => (
          <button key={provider.id} type="button" className="plain-button" onClick={() => start(provider)}>
            {provider.name}
          </button>
        ))}
      </div>
      <div className="shell-dialog-actions">
        <button type="button" className="plain-button" onClick={onClose}>
          {m.close}
        </button>
      </div>
    </Dialog>
  )
}

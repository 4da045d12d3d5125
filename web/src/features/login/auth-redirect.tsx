import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import { handOver, readFragment } from '@/access/handover'
import { handoverMessages } from '@/access/handover-messages'
import { useMessages } from '@/i18n/messages'
import { Logo } from '@/ui/logo'
import './login.css'
import { messages } from './messages'

/** Receives the answer to a third-party sign-in or linking, hands it to the window that began it, and closes. */
export default function AuthRedirectPage() {
  const m = useMessages(messages)
  const reasons = useMessages(handoverMessages)
  const [answer] = useState(() => readFragment(window.location.hash))
  const [delivered, setDelivered] = useState<boolean>()

  // Talks to another window, so it happens once, after the page stands.
  useEffect(() => {
    // The token must not stay in the address bar or the history.
    window.history.replaceState(null, '', window.location.pathname)
    void handOver(answer).then((done) => {
      setDelivered(done)
      if (done) window.close()
    })
  }, [answer])

  const told = {
    signedIn: m.redirectDone,
    codeNeeded: m.redirectCode,
    linked: m.redirectLinked,
    failed: m.redirectFailed,
  }[answer.kind]
  // A link is stored on the server by now; only the window that shows it is missing.
  const text = delivered === false && answer.kind !== 'linked' ? m.redirectLost : told
  return (
    <main className="bare-page">
      <Logo />
      <h1>{m.redirectTitle}</h1>
      <p role="status">{text}</p>
      {answer.kind === 'failed' && <p className="plain-hint">{reasons[answer.error]}</p>}
      {(delivered === false || answer.kind === 'failed') && answer.kind !== 'linked' && (
        <Link className="plain-button" data-primary to="/login">
          {m.toLogin}
        </Link>
      )}
    </main>
  )
}

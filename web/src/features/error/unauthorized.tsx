import { Link } from 'react-router'
import { currentSession } from '@/access/session'
import { leave } from '@/access/sign-out'
import { useMessages } from '@/i18n/messages'
import { Logo } from '@/ui/logo'
import '@/ui/dialog.css'
import { messages } from './messages'

/** No authority. There is deliberately no way "back": the page before would only lead here again. */
export default function UnauthorizedPage() {
  const m = useMessages(messages)
  return (
    <main className="bare-page">
      <Logo />
      <div className="bare-code">401</div>
      <h1>{m.noAuthority}</h1>
      <p>{m.noAuthorityHint}</p>
      <div className="bare-actions">
        <Link className="plain-button" data-primary to="/">
          {m.home}
        </Link>
        {currentSession().token !== '' && (
          <button type="button" className="plain-button" onClick={() => leave()}>
            {m.otherAccount}
          </button>
        )}
      </div>
    </main>
  )
}

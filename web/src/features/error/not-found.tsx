import { Link } from 'react-router'
import { useMessages } from '@/i18n/messages'
import { Logo } from '@/ui/logo'
import '@/ui/dialog.css'
import { messages } from './messages'

/** An address that leads nowhere. */
export default function NotFoundPage() {
  const m = useMessages(messages)
  return (
    <main className="bare-page">
      <Logo />
      <div className="bare-code">404</div>
      <h1>{m.notFound}</h1>
      <p>{m.notFoundHint}</p>
      <div className="bare-actions">
        <Link className="plain-button" data-primary to="/">
          {m.home}
        </Link>
      </div>
    </main>
  )
}

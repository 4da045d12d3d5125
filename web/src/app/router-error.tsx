import { useEffect } from 'react'
import { useRouteError } from 'react-router'
import { logError } from '@/access/error-log'
import { useMessages } from '@/i18n/messages'
import { messages } from './messages'

/** The last net: the shell itself failed, or a part of the program could not be fetched. */
export function RouterError() {
  const error = useRouteError()
  const m = useMessages(messages)
  // Logging is talking to storage and server, which rendering must not do.
  useEffect(() => logError(error, 'RouterError'), [error])
  return (
    <main className="bare-page">
      <h1>{m.pageBroken}</h1>
      <p>{m.pageBrokenHint}</p>
      <button type="button" className="plain-button" data-primary onClick={() => window.location.reload()}>
        {m.retry}
      </button>
    </main>
  )
}

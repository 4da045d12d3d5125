import { causeOf, logError } from '@/access/error-log'
import { isApiFailure } from '@/api/failure'
import { notifyError } from '@/api/notices'
import { textsOf } from '@/i18n/messages'
import { messages } from './messages'

const isAbort = (error: unknown) => error instanceof DOMException && error.name === 'AbortError'

/** The browser's own complaint about layout work that runs into the next frame. Harmless, and nobody's fault. */
const isNoise = (text: string) => text.startsWith('ResizeObserver loop')

/** Shows an uncaught error as a toast and writes it to the log. Refusals of the server have been shown already. */
export function reportUncaught(error: unknown, component = '') {
  if (isApiFailure(error) || isAbort(error)) return
  logError(error, component)
  notifyError(textsOf(messages).somethingBroke(causeOf(error).message))
}

/** Listens to everything that nobody caught. */
export function listenForErrors() {
  window.addEventListener('error', (event) => {
    if (!isNoise(event.message)) reportUncaught(event.error ?? event.message, 'window')
  })
  window.addEventListener('unhandledrejection', (event) => reportUncaught(event.reason, 'promise'))
  // After an update the old chunks are gone; one reload fetches the new ones.
  window.addEventListener('vite:preloadError', (event) => {
    event.preventDefault()
    notifyError(textsOf(messages).newVersion)
  })
}

/** The innermost component of a React component stack: what the error log shows. */
export function componentOf(stack: string | null | undefined): string {
  return /^\s*at (\S+)/m.exec(stack ?? '')?.[1] ?? ''
}

/** What `/authredirect` received and hands to the window that opened it. */
export type Handover =
  | { kind: 'signedIn'; token: string; id: string; groupId: string }
  | { kind: 'failed'; error: string }

const source = 'skyrack-authredirect'

/** Reads the fragment. The server puts the answer there because a fragment never reaches a log. */
export function readFragment(hash: string): Handover {
  const values = new URLSearchParams(hash.replace(/^#\??/, ''))
  const token = values.get('token')
  const id = values.get('id')
  if (token && id) return { kind: 'signedIn', token, id, groupId: values.get('groupId') ?? '' }
  return { kind: 'failed', error: values.get('error') ?? '' }
}

/** Hands the answer to the opener, on this site only. False when there is no opener to take it. */
export function handOver(answer: Handover): boolean {
  const opener = window.opener as Window | null
  if (!opener || opener.closed) return false
  opener.postMessage({ source, answer }, window.location.origin)
  return true
}

/** Waits for the popup's answer. Messages from elsewhere are not ours. Returns the way to stop. */
export function awaitHandover(popup: Window, onAnswer: (answer: Handover) => void): () => void {
  const listen = (event: MessageEvent) => {
    const ours = event.origin === window.location.origin && event.source === popup && event.data?.source === source
    if (ours) onAnswer(event.data.answer as Handover)
  }
  window.addEventListener('message', listen)
  return () => window.removeEventListener('message', listen)
}

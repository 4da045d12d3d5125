import { handoverMessages } from './handover-messages'

/** Why it failed: a code that we have words for. An address is anybody's to write, and its text is never shown. */
export type HandoverError = keyof typeof handoverMessages.tree

/** What `/authredirect` received and hands to the window that opened it. */
export type Handover =
  | { kind: 'signedIn'; token: string; id: string; groupId: string }
  | { kind: 'codeNeeded'; provider: string }
  | { kind: 'linked'; provider: string }
  | { kind: 'failed'; error: HandoverError }

/** What a window may begin, and the answers that it then waits for; a failure may end either. */
const answers = {
  signedIn: ['signedIn', 'codeNeeded', 'failed'],
  linked: ['linked', 'failed'],
} as const

type Begun = keyof typeof answers

/** What a window waits for: the answers to what it has begun. */
export type Awaited<K extends Begun> = Extract<Handover, { kind: (typeof answers)[K][number] }>

const source = 'skyrack-authredirect'

/** Reads the fragment. The server puts the answer there because a fragment never reaches a log. */
export function readFragment(hash: string): Handover {
  const values = new URLSearchParams(hash.replace(/^#\??/, ''))
  const token = values.get('token')
  const id = values.get('id')
  if (token && id) return { kind: 'signedIn', token, id, groupId: values.get('groupId') ?? '' }
  const asking = values.get('codeFor')
  if (asking) return { kind: 'codeNeeded', provider: asking }
  const provider = values.get('linked')
  if (provider) return { kind: 'linked', provider }
  return { kind: 'failed', error: known(values.get('error')) }
}

const known = (code: unknown): HandoverError =>
  typeof code === 'string' && Object.hasOwn(handoverMessages.tree, code) ? (code as HandoverError) : 'failed'

/**
 * Hands the answer to the window that began the sign-in, on this site only. A provider's isolation headers may have cut
 * the tie to the opener; then a channel of this site carries it, and the waiting dialog confirms. False when nobody took it.
 */
export async function handOver(answer: Handover): Promise<boolean> {
  const opener = window.opener as Window | null
  if (opener && !opener.closed) {
    opener.postMessage({ source, answer }, window.location.origin)
    return true
  }
  const channel = new BroadcastChannel(source)
  const taken = new Promise<boolean>((resolve) => {
    channel.onmessage = ({ data }) => data === received && resolve(true)
    setTimeout(() => resolve(false), confirmWithinMs)
  })
  channel.postMessage({ source, answer })
  return taken.finally(() => channel.close())
}

const received = 'received'
const confirmWithinMs = 1_000

/**
 * Waits for the answer of a popup that this window has opened. Messages from elsewhere are not ours, nobody is listened to
 * unless something is under way, and a window that links an account hears nothing of a sign-in beside it. Returns the way
 * to stop.
 */
export function awaitHandover<K extends Begun>(
  popup: Window,
  kind: K,
  onAnswer: (answer: Awaited<K>) => void,
): () => void {
  const channel = new BroadcastChannel(source)
  const isAwaited = (answer: Handover): answer is Awaited<K> =>
    (answers[kind] as readonly string[]).includes(answer.kind)
  const listen = (event: MessageEvent) => {
    const ours = event.origin === window.location.origin && event.source === popup && event.data?.source === source
    if (ours && isAwaited(event.data.answer)) onAnswer(event.data.answer)
  }
  channel.onmessage = ({ data }) => {
    if (data?.source !== source || !isAwaited(data.answer)) return
    channel.postMessage(received)
    onAnswer(data.answer)
  }
  window.addEventListener('message', listen)
  return () => {
    channel.close()
    window.removeEventListener('message', listen)
  }
}

import { call } from '@/api/call'

/** What a shell session reports to its page. */
export interface ShellEvents {
  onOpened: () => void
  onBytes: (bytes: Uint8Array) => void
  /** It ended: with an exit code, or for a reason; with neither when the connection was lost. */
  onEnded: (end: { exit?: number; reason?: string }) => void
}

/** A shell on a card. */
export interface ShellSession {
  type: (bytes: Uint8Array) => void
  resize: (rows: number, columns: number) => void
  close: () => void
}

type Told = { type: 'opened' } | { type: 'ended'; exit: number | null; reason: string }

/** Opens a shell, for a reason where a customer's phone is on the card: a ticket first, since a browser sends no token with a WebSocket. */
export async function openShell(
  card: number,
  reason: string,
  size: { rows: number; columns: number },
  events: ShellEvents,
): Promise<ShellSession> {
  const { ticket } = await call('cardShell', { path: { id: card }, body: { reason } })
  const address = new URL(`/api/fleet/v1/shells/${ticket}`, window.location.href)
  address.protocol = address.protocol.replace('http', 'ws')
  const socket = new WebSocket(address)
  socket.binaryType = 'arraybuffer'
  let hasEnded = false
  const end = (how: { exit?: number; reason?: string }) => {
    if (hasEnded) return
    hasEnded = true
    events.onEnded(how)
  }
  const say = (rows: number, columns: number) => socket.send(JSON.stringify({ type: 'size', rows, columns }))
  socket.addEventListener('open', () => say(size.rows, size.columns))
  socket.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer | string>) => {
    if (typeof data !== 'string') return events.onBytes(new Uint8Array(data))
    const told = JSON.parse(data) as Told
    if (told.type === 'opened') return events.onOpened()
    end({ ...(told.exit === null ? {} : { exit: told.exit }), ...(told.reason === '' ? {} : { reason: told.reason }) })
  })
  socket.addEventListener('close', () => end({}))
  const isOpen = () => socket.readyState === WebSocket.OPEN
  return {
    type: (bytes) => isOpen() && socket.send(bytes as Uint8Array<ArrayBuffer>),
    resize: (rows, columns) => isOpen() && say(rows, columns),
    close: () => {
      hasEnded = true
      socket.close()
    },
  }
}

import { createParser } from 'eventsource-parser'
import { commonHeaders } from './client'
import { noteOutage, onRecovery, saysOutage } from './outage'

/** One message of the server: what kind of thing happened, and its data. */
export interface ServerEvent {
  id: string | undefined
  type: string
  data: unknown
}

interface StreamOptions {
  onEvent: (event: ServerEvent) => void
  /** The stream started over and what happened meanwhile is unknown: reload what is on screen. */
  onGap: () => void
  /** The connection was alive just now: an answer, an event or a beat. */
  onHeard?: () => void
  signal: AbortSignal
}

const firstWait = 1_000
const longestWait = 30_000
/** The server says something every five seconds; silence for so long means a dead connection. */
const silenceLimit = 20_000

/**
 * Follows an event stream until the signal ends it. `EventSource` cannot carry an Authorization header, hence fetch.
 * A lost connection is taken up again after the last event that was seen; waits grow, and are spread so that a
 * restarted server is not met by everybody at once.
 */
export async function followEvents(address: string, { onEvent, onGap, onHeard, signal }: StreamOptions): Promise<void> {
  let lastId: string | undefined
  let wait = firstWait
  while (!signal.aborted) {
    const again = new AbortController()
    const stop = () => again.abort()
    signal.addEventListener('abort', stop, { once: true })
    try {
      const response = await fetch(address, {
        headers: { ...commonHeaders(), Accept: 'text/event-stream', ...(lastId && { 'Last-Event-ID': lastId }) },
        signal: again.signal,
      })
      // A refusal stays a refusal: do not ask again.
      if (response.status >= 400 && response.status < 500) return
      if (saysOutage(response.status)) noteOutage()
      if (!response.ok || !response.body || !response.headers.get('content-type')?.includes('event-stream')) {
        throw new Error(`no event stream: ${response.status}`)
      }
      if (wait !== firstWait && lastId === undefined) onGap()
      wait = firstWait
      onHeard?.()
      await read(response.body, again, onHeard, (event) => {
        lastId = event.id ?? lastId
        if (event.type === 'reset') onGap()
        else onEvent(event)
      })
    } catch {
      // Lost or refused for now: the wait below, then again.
    } finally {
      signal.removeEventListener('abort', stop)
    }
    if (signal.aborted) return
    await pause(wait * (0.5 + Math.random()), signal)
    wait = Math.min(wait * 2, longestWait)
  }
}

async function read(
  body: ReadableStream<Uint8Array>,
  again: AbortController,
  onHeard: StreamOptions['onHeard'],
  onEvent: StreamOptions['onEvent'],
) {
  const parser = createParser({
    onEvent: ({ id, event, data }) => onEvent({ id, type: event ?? 'message', data: parsed(data) }),
  })
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let silence = setTimeout(() => again.abort(), silenceLimit)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      clearTimeout(silence)
      silence = setTimeout(() => again.abort(), silenceLimit)
      onHeard?.()
      parser.feed(decoder.decode(value, { stream: true }))
    }
  } finally {
    clearTimeout(silence)
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return data
  }
}

function pause(time: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      forget()
      resolve()
    }
    const timer = setTimeout(end, time)
    // When the console is there again nobody waits for the rest.
    const forget = onRecovery(end)
    signal.addEventListener('abort', end)
  })
}

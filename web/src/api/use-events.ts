import { useEffect, useRef, useState } from 'react'
import { followEvents, type ServerEvent } from './event-stream'

type Listener = { onEvent: (event: ServerEvent) => void; onGap: () => void }

interface Stream {
  listeners: Set<Listener>
  stop: AbortController
  /** When the connection was last known to be alive, or else when it was asked for; undefined for whom it is refused. */
  heardAt: number | undefined
  /** When the server last told of something. */
  toldAt?: number
}

/**
 * How much older than its listening a part of the page may be, in milliseconds: it was read ahead, and an answer is
 * taken for new for five seconds (`query.ts`). The server says the same of a new stream (`http/events.rs`).
 */
const readBefore = 10_000

/** One stream a domain, however many parts of the page listen: a browser has six connections to a host. */
const streams = new Map<string, Stream>()

function listen(domain: string, listener: Listener): () => void {
  let stream = streams.get(domain)
  if (!stream) {
    const made: Stream = { listeners: new Set(), stop: new AbortController(), heardAt: Date.now() }
    stream = made
    streams.set(domain, made)
    const { listeners, stop } = made
    void followEvents(`/api/${domain}/v1/events`, {
      onEvent: (event) => {
        made.toldAt = Date.now()
        listeners.forEach((each) => void each.onEvent(event))
      },
      onGap: () => listeners.forEach((each) => void each.onGap()),
      onHeard: () => {
        made.heardAt = Date.now()
      },
      signal: stop.signal,
    }).then(() => {
      made.heardAt = undefined
    })
  }
  const { listeners, stop, toldAt } = stream
  listeners.add(listener)
  // It was told before this one listened, and what this one shows may have been read before that.
  if (toldAt !== undefined && Date.now() - toldAt < readBefore) listener.onGap()
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    stop.abort()
    streams.delete(domain)
  }
}

/**
 * Hears what happens in a domain while the component is on screen. `onGap` is called when something may have been
 * missed: read again then.
 */
export function useEvents(domain: string, onEvent: (event: ServerEvent) => void, onGap: () => void = () => undefined) {
  const newest = useRef({ onEvent, onGap })
  newest.current = { onEvent, onGap }
  // The stream is outside React.
  useEffect(
    () =>
      listen(domain, {
        onEvent: (event) => newest.current.onEvent(event),
        onGap: () => newest.current.onGap(),
      }),
    [domain],
  )
}

/** Silence for longer means that what is on screen may no longer be true: the server says something every five seconds. */
const quiet = 10_000

/**
 * Since when nothing has come of a domain that the page listens to, in milliseconds of the clock; undefined while its
 * stream is alive, and for those who may not listen.
 */
export function useSilence(domain: string): number | undefined {
  const [since, setSince] = useState<number>()
  // The clock is outside React.
  useEffect(() => {
    const timer = setInterval(() => {
      const heardAt = streams.get(domain)?.heardAt
      setSince(heardAt !== undefined && Date.now() - heardAt > quiet ? heardAt : undefined)
    }, 1_000)
    return () => clearInterval(timer)
  }, [domain])
  return since
}

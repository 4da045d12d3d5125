import { useEffect, useRef } from 'react'
import { followEvents, type ServerEvent } from './event-stream'

type Listener = { onEvent: (event: ServerEvent) => void; onGap: () => void }

/** One stream a domain, however many parts of the page listen: a browser has six connections to a host. */
const streams = new Map<string, { listeners: Set<Listener>; stop: AbortController }>()

function listen(domain: string, listener: Listener): () => void {
  let stream = streams.get(domain)
  if (!stream) {
    stream = { listeners: new Set(), stop: new AbortController() }
    streams.set(domain, stream)
    const { listeners, stop } = stream
    void followEvents(`/api/${domain}/v1/events`, {
      onEvent: (event) => listeners.forEach((each) => void each.onEvent(event)),
      onGap: () => listeners.forEach((each) => void each.onGap()),
      signal: stop.signal,
    })
  }
  const { listeners, stop } = stream
  listeners.add(listener)
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

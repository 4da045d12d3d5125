import { useSyncExternalStore } from 'react'

/** Answers of a proxy without a server behind it, or of a console that is not (yet, any more) the active one. */
const outageStatuses = [502, 503, 504]
/** Between two polls for the server; spread, so that not everybody asks at the same moment. */
const firstPause = 300
const pauseTime = () => 1_000 + Math.random() * 1_000

let isOut = false
let watching = false
const watchers = new Set<() => void>()
const waiting = new Set<() => void>()

/** Whether an HTTP status says that there is no console to answer. */
export const saysOutage = (httpStatus: number): boolean => outageStatuses.includes(httpStatus)

/**
 * Notes that a call found no console. The console is polled until it is back; only when it does not answer the first
 * poll is that shown, so that a hiccup goes unnoticed.
 */
export function noteOutage() {
  if (watching) return
  watching = true
  void watch()
}

async function watch() {
  let pause = firstPause
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, pause))
    if (await isThere()) break
    show(true)
    pause = pauseTime()
  }
  watching = false
  show(false)
  const done = [...waiting]
  for (const tell of done) tell()
}

async function isThere(): Promise<boolean> {
  try {
    return (await fetch('/readyz', { cache: 'no-store', credentials: 'omit' })).ok
  } catch {
    return false
  }
}

function show(out: boolean) {
  if (isOut === out) return
  isOut = out
  for (const tell of watchers) tell()
}

/** Calls `tell` whenever an outage is over. Gives what ends that. */
export function onRecovery(tell: () => void): () => void {
  waiting.add(tell)
  return () => waiting.delete(tell)
}

function subscribe(tell: () => void): () => void {
  watchers.add(tell)
  return () => watchers.delete(tell)
}

/** Whether the console cannot be reached right now. */
export function useOutage(): boolean {
  return useSyncExternalStore(subscribe, () => isOut)
}

import { onRecovery } from '@/api/outage'

/** So long nothing may be heard of a request: a line can be lost without anybody saying so. */
const silence = 45_000
const longestWait = 30_000

/** A signal that also stops a request of which nothing is heard any more. */
export function watched(signal: AbortSignal) {
  const control = new AbortController()
  const stop = () => control.abort()
  let timer = setTimeout(stop, silence)
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  return {
    signal: control.signal,
    heard: () => {
      clearTimeout(timer)
      timer = setTimeout(stop, silence)
    },
    end: () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    },
  }
}

/** Waits a second, then longer and longer; less if the line or the console is said to be back. */
export function pause(tries: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer)
      unhear()
      window.removeEventListener('online', back)
      signal.removeEventListener('abort', stop)
      settle()
    }
    const back = () => end(resolve)
    const stop = () => end(() => reject(signal.reason))
    const timer = setTimeout(back, Math.min(1_000 * 2 ** (tries - 1), longestWait))
    const unhear = onRecovery(back)
    window.addEventListener('online', back)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
  })
}

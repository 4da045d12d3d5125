import { clearSession } from './session'
import { parting } from './storage'

/** What is shown once after the reload. */
export interface Parting {
  tone: 'good' | 'warn'
  text: string
}

/** Ends the session in this browser and reloads. The text is shown once, on the login page. */
export function leave(words?: Parting) {
  clearSession()
  if (words) parting.leave(JSON.stringify(words))
  window.location.reload()
}

/** The words that were left before the reload, once. */
export function takeParting(): Parting | undefined {
  const text = parting.take()
  return text === undefined ? undefined : (JSON.parse(text) as Parting)
}

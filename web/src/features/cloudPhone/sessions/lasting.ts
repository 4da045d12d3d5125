/** A span of time as people say it: its largest unit, and what is left in the next smaller one. */
export type Lasting = readonly [unit: 'seconds' | 'minutes' | 'hours' | 'days', count: number, rest: number]

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** So many seconds, in units that are worth saying. */
export function lasting(seconds: number): Lasting {
  const whole = Math.max(0, Math.floor(seconds))
  if (whole < minute) return ['seconds', whole, 0]
  if (whole < hour) return ['minutes', Math.floor(whole / minute), 0]
  if (whole < day) return ['hours', Math.floor(whole / hour), Math.floor((whole % hour) / minute)]
  return ['days', Math.floor(whole / day), Math.floor((whole % day) / hour)]
}

const since = (at: string, now: number) => Math.max(0, (now - Date.parse(at)) / 1000)

/** For how many seconds a phone is on its card, or was. */
export const onFor = (stay: { beganAt: string; onS?: number | null }, now: number): number =>
  stay.onS ?? since(stay.beganAt, now)

/** For how many seconds a phone was used, the present use included. */
export const usedFor = (stay: { streamedS: number; streamAt?: string | null }, now: number): number =>
  stay.streamedS + (stay.streamAt ? since(stay.streamAt, now) : 0)

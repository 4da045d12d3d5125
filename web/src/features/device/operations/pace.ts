/** How many results in one minute, and when the rest will be there at this pace. */
export interface Pace {
  perMinute: number
  /** Milliseconds until nothing is left. */
  left: number
}

const minute = 60_000
/** Fewer results say nothing about a pace. */
const enough = 5

/** The pace of an operation by when its last results came, in milliseconds and newest first. */
export function paceOf(ended: readonly number[], waiting: number, now: number): Pace | undefined {
  const recent = ended.filter((at) => now - at <= minute)
  const oldest = recent.at(-1)
  if (oldest === undefined || recent.length < enough) return undefined
  // The answer holds only so many results: those of a fast operation are from less than a minute.
  const span = recent.length < ended.length ? minute : Math.max(1_000, now - oldest)
  const perMinute = (recent.length / span) * minute
  return { perMinute: Math.round(perMinute), left: (waiting / perMinute) * minute }
}

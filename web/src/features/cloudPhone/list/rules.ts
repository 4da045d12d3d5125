const day = 86_400_000
const gb = 2 ** 30

/** Whole days from `now` to a moment: what is left of a day counts, and so does what is over of one, negatively. */
export function daysUntil(at: string, now: number): number {
  const days = (Date.parse(at) - now) / day
  return days >= 0 ? Math.ceil(days) : -Math.ceil(-days)
}

/** The part of a disk that is used, at most all of it. */
export const diskShare = (bytes: number, size: number): number => Math.min(1, bytes / (size * gb))

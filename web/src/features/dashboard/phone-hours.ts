import type { DataOf } from '@/api/call'

export type PhoneHour = DataOf<'phoneHours'>[number]

/** Hours of a day. */
const day = 24

/** A figure of the last 24 hours, the one that goes on being the last, and of the 24 hours before. */
export function dayAndBefore(hours: readonly PhoneHour[], figure: (hour: PhoneHour) => number | null | undefined) {
  const values = hours.map((hour) => figure(hour) ?? null)
  return { day: values.slice(-day), before: values.slice(-2 * day, -day) }
}

/** When each of the last 24 hours began, by the operator's clock. */
export const ticksOf = (hours: readonly PhoneHour[]): string[] =>
  hours.slice(-day).map(({ at }) => `${String(new Date(at).getHours()).padStart(2, '0')}:00`)

import type { DataOf } from '@/api/call'

export type FleetPoint = DataOf<'fleetPoints'>[number]

/** The time between two points of the fleet, in milliseconds. */
const step = 15 * 60_000
/** Points of a day, midnight at both ends. */
const slots = 97

/** When a day began, `back` days before `now`, by the operator's clock. */
export function dayBegin(now: Date, back = 0): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - back)
}

/** The span that a call asks for: one day, with the midnight that ends it. */
export function daySpan(begin: Date): { startTime: string; endTime: string } {
  return { startTime: begin.toISOString(), endTime: new Date(begin.getTime() + (slots - 1) * step).toISOString() }
}

/** The times of day below the curve. */
export const clock: readonly string[] = Array.from(
  { length: slots },
  (_, at) => `${String(Math.floor(at / 4)).padStart(2, '0')}:${String((at % 4) * 15).padStart(2, '0')}`,
)

/** Which place in the day a moment has. */
export const slotOf = (begin: Date, moment: Date) => Math.round((moment.getTime() - begin.getTime()) / step)

/** A day's values, one for each quarter of an hour; what nobody saw stays a hole. */
export function dayValues(
  points: readonly FleetPoint[],
  begin: Date,
  figure: (point: FleetPoint) => number,
): (number | null)[] {
  const values = new Array<number | null>(slots).fill(null)
  for (const point of points) {
    const slot = slotOf(begin, new Date(point.at))
    if (slot >= 0 && slot < slots) values[slot] = figure(point)
  }
  return values
}

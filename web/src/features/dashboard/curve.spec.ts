import { expect, it } from 'vitest'
import { clock, dayBegin, dayValues, type FleetPoint, slotOf } from './curve'

const begin = new Date(2026, 10, 23)
const point = (minutes: number, online: number) =>
  ({ at: new Date(begin.getTime() + minutes * 60_000).toISOString(), online }) as FleetPoint

it('puts each point at its quarter of an hour and leaves holes', () => {
  const values = dayValues(
    [point(0, 8), point(30, 9), point(1440, 7), point(1455, 99), point(-15, 99)],
    begin,
    ({ online }) => online,
  )
  expect(values.slice(0, 4)).toEqual([8, null, 9, null])
  expect(values).toHaveLength(clock.length)
  expect(values.at(-1)).toBe(7)
  expect(values).not.toContain(99)
})

it('begins a day, and that of last week, at midnight', () => {
  const now = new Date(2026, 10, 23, 8, 42)
  expect(dayBegin(now)).toEqual(begin)
  expect(dayBegin(now, 7)).toEqual(new Date(2026, 10, 16))
  expect(clock[slotOf(begin, now)]).toBe('08:45')
  expect(clock.at(-1)).toBe('24:00')
})

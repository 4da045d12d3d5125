import { expect, it } from 'vitest'
import { dayAndBefore, type PhoneHour, ticksOf } from './phone-hours'

/** The last one began at 15:00. */
const hours = Array.from({ length: 48 }, (_, at): PhoneHour => {
  const begin = new Date(2026, 10, 29, 15 - 47 + at)
  return { at: begin.toISOString(), putOn: at, waitS: at === 40 ? null : at * 2, longestWaitS: null, on: 0 }
})

it('puts each hour beside that of the day before', () => {
  const putOns = dayAndBefore(hours, ({ putOn }) => putOn)
  expect(putOns.day.at(-1)).toBe(47)
  expect(putOns.before.at(-1)).toBe(23)
  expect([putOns.day.length, putOns.before.length, putOns.before[0]]).toEqual([24, 24, 0])
})

it('leaves a hole where nobody is known to have waited', () => {
  expect(dayAndBefore(hours, ({ waitS }) => waitS).day[40 - 24]).toBeNull()
})

it('names the hours by the clock of whoever looks', () => {
  const ticks = ticksOf(hours)
  expect([ticks.length, ticks[0], ticks.at(-1)]).toEqual([24, '16:00', '15:00'])
})

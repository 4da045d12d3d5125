import { expect, it } from 'vitest'
import { speedometer } from './speed'

it('tells the speed of the last seconds, and none before it knows one', () => {
  const speed = speedometer()
  expect(speed(0, 0)).toBeUndefined()
  expect(speed(500, 500)).toBeUndefined()
  expect(speed(2_000, 2_000)).toBe(1_000)
  for (let at = 3_000; at <= 20_000; at += 1_000) speed(2_000, at)
  expect(speed(2_000, 21_000)).toBe(0)
})

it('begins anew when a part is sent again', () => {
  const speed = speedometer()
  speed(0, 0)
  speed(8_000, 2_000)
  expect(speed(1_000, 3_000)).toBeUndefined()
  expect(speed(3_000, 5_000)).toBe(1_000)
})

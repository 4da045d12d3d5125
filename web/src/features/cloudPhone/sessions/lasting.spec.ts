import { describe, expect, it } from 'vitest'
import { lasting, onFor, usedFor } from './lasting'

const now = Date.parse('2026-11-29T12:00:00Z')

describe('a span of time', () => {
  it.each([
    [-3, ['seconds', 0, 0]],
    [59.9, ['seconds', 59, 0]],
    [60, ['minutes', 1, 0]],
    [3599, ['minutes', 59, 0]],
    [3600, ['hours', 1, 0]],
    [3 * 3600 + 61, ['hours', 3, 1]],
    [86_399, ['hours', 23, 59]],
    [2 * 86_400 + 3600, ['days', 2, 1]],
  ])('of %d seconds is %j', (seconds, said) => expect(lasting(seconds)).toEqual(said))
})

describe('a stay', () => {
  it('goes on until now while the phone is there', () => {
    expect(onFor({ beganAt: '2026-11-29T11:00:00Z', onS: null }, now)).toBe(3600)
    expect(onFor({ beganAt: '2026-11-29T11:00:00Z', onS: 60 }, now)).toBe(60)
    expect(onFor({ beganAt: '2026-11-29T13:00:00Z' }, now), 'a clock that is late').toBe(0)
  })

  it('counts the present use', () => {
    expect(usedFor({ streamedS: 100, streamAt: null }, now)).toBe(100)
    expect(usedFor({ streamedS: 100, streamAt: '2026-11-29T11:59:00Z' }, now)).toBe(160)
  })
})

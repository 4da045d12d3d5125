import { describe, expect, it } from 'vitest'
import { daysUntil, diskShare } from './rules'

const now = Date.parse('2026-11-23T12:00:00Z')

describe('the days of a phone', () => {
  it.each([
    ['2026-11-23T12:00:00Z', 0],
    ['2026-11-23T13:00:00Z', 1],
    ['2026-11-24T12:00:00Z', 1],
    ['2026-11-30T12:00:01Z', 8],
    ['2026-11-23T11:00:00Z', -1],
    ['2026-11-21T11:00:00Z', -3],
  ])('until %s are %d', (at, days) => expect(daysUntil(at, now)).toBe(days))
})

describe('a disk', () => {
  it('is never fuller than full', () => {
    expect(diskShare(2 ** 30, 4)).toBe(0.25)
    expect(diskShare(2 ** 40, 4)).toBe(1)
  })
})

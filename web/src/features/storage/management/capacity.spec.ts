import { describe, expect, it } from 'vitest'
import { capacityOf, inGb, inMbit, shareOf } from './capacity'

describe('the capacity of a node', () => {
  it('is typed again as it was typed', () => {
    expect(capacityOf(3 * 2 ** 40)).toEqual({ capacity: 3, unit: 'tb' })
    expect(capacityOf(1500 * 2 ** 30)).toEqual({ capacity: 1500, unit: 'gb' })
    expect(capacityOf(1024 * 2 ** 30)).toEqual({ capacity: 1, unit: 'tb' })
  })

  it('has a share also where there is no room at all', () => {
    expect(shareOf({ usedBytes: 1, limitBytes: 4 })).toBe(0.25)
    expect(shareOf({ usedBytes: 0, limitBytes: 0 })).toBe(0)
  })

  it('is drawn in GB', () => expect(inGb(1.26 * 2 ** 30)).toBe(1.3))
})

describe('the share of a limit', () => {
  it('is told in Mbit/s, and never as nothing', () => {
    expect([3333, 1_000_000, 62, 1].map(inMbit)).toEqual(['3.33', '1000', '0.06', '0.01'])
  })
})

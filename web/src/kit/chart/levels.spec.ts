import { describe, expect, it } from 'vitest'
import { levelsOf, lonely } from './levels'
import { lookOf } from './looks'

describe('levelsOf', () => {
  it.each([
    [0, 0, 5, [0, 1]],
    [0, 3, 5, [0, 1, 2, 3]],
    [0, 61, 3, [0, 50, 100]],
    [0, 2_100, 5, [0, 500, 1_000, 1_500, 2_000, 2_500]],
    [-4, 9, 5, [-5, 0, 5, 10]],
  ])('holds %i to %i in about %i round levels', (least, most, count, levels) => {
    expect(levelsOf(least, most, count)).toEqual(levels)
  })
})

describe('lonely', () => {
  it('finds what no line leads to', () => {
    expect(lonely([1, null, 2, null, 3, 4, null, 5])).toEqual([0, 2, 7])
  })
})

describe('lookOf', () => {
  it('gives no two of a dozen lines the same colour and dash', () => {
    const looks = Array.from({ length: 12 }, (_, at) => lookOf({ name: String(at), values: [] }, at, 'light'))
    expect(new Set(looks.map((look) => JSON.stringify(look))).size).toBe(12)
  })
})

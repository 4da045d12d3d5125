import { describe, expect, it } from 'vitest'
import { paceOf } from './pace'

const every = (step: number, count: number) => Array.from({ length: count }, (_, at) => 1_000_000 - at * step)

describe('the pace of an operation', () => {
  it('is what came within a minute', () => {
    const pace = paceOf(every(1_000, 100), 122, 1_000_000)
    expect(pace?.perMinute).toBe(61)
    expect(pace?.left).toBeCloseTo(120_000)
  })

  it('is told by less than a minute where so many came in it', () => {
    expect(paceOf(every(100, 100), 6_060, 1_000_000)?.perMinute).toBe(606)
  })

  it('is not told by a few results, nor by old ones', () => {
    expect(paceOf(every(1_000, 4), 10, 1_000_000)).toBeUndefined()
    expect(paceOf(every(1_000, 50), 10, 1_200_000)).toBeUndefined()
  })
})

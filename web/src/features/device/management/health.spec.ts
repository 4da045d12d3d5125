import { describe, expect, it } from 'vitest'
import { type Card, chainOf, lastOf, wrongOf } from './health'

const [yes, no, unknown] = [1, 2, 3] as const
const healthy = {
  lifecycle: 3,
  power: 1,
  networkStatus: 1,
  reached: yes,
  tcpOpen: yes,
  adbAnswers: yes,
  booted: yes,
  live: { against: [0, 0, 0, 0], metrics: { cpu: 40, memory: 50, storage: 30, temperature: 45 } },
} as Card
const limits = { cpu: 90, memory: 90, storage: 90, temperature: 68 }
const but = (change: object) => ({ ...healthy, ...change }) as Card

describe('the chain from the agent to Android', () => {
  it('is broken where the first layer is silent, and nobody knows what is behind', () => {
    const chain = chainOf(but({ adbAnswers: no, booted: yes }))
    expect(chain.map(({ state }) => state)).toEqual(['works', 'works', 'broken', 'unknown'])
    expect(chain.map(({ isFirst }) => isFirst)).toEqual([false, false, true, false])
  })

  it('shakes where reports contradict', () => {
    const chain = chainOf(but({ live: { against: [0, 2, 0, 0] } }))
    expect(chain[1]).toEqual({ layer: 'tcpOpen', misses: 2, state: 'shaky', isFirst: true })
    expect(chain[2]?.state).toBe('works')
  })

  it('has no broken link where nothing is known', () => {
    const chain = chainOf(but({ reached: unknown, tcpOpen: unknown, adbAnswers: unknown, booted: unknown, live: null }))
    expect(chain.every(({ state, isFirst }) => state === 'unknown' && !isFirst)).toBe(true)
  })
})

describe('what is wrong with a card', () => {
  it('is nothing while all is well, and nothing before it is in service', () => {
    expect(wrongOf(healthy, limits)).toBeUndefined()
    expect(wrongOf(but({ lifecycle: 1, reached: no, networkStatus: 3 }), limits)).toBeUndefined()
  })

  it('names the first silent layer, and what can still reach the card', () => {
    expect(wrongOf(but({ tcpOpen: no, adbAnswers: no }), limits)).toMatchObject({
      layer: 'tcpOpen',
      helps: 'powerCycle',
    })
    expect(wrongOf(but({ booted: no }), limits)).toMatchObject({ layer: 'booted', helps: 'reboot' })
    expect(wrongOf(but({ reached: no, power: 2 }), limits)).toEqual({ kind: 'off', helps: 'powerOn' })
  })

  it('is a figure beyond its limit, where the limits may be seen', () => {
    const hot = but({ live: { against: [0, 0, 0, 0], metrics: { cpu: 1, memory: 1, storage: 1, temperature: 71 } } })
    expect(wrongOf(hot, limits)).toMatchObject({ kind: 'over', figure: 'temperature', value: 71, limit: 68 })
    expect(wrongOf(hot, undefined)).toBeUndefined()
  })
})

it('an axis is as it is since its newest event', () => {
  const events = [
    { axis: 4, at: '2026-11-20T08:00:00Z', to: 1 },
    { axis: 4, at: '2026-11-21T08:00:00Z', to: 2 },
    { axis: 8, at: '2026-11-22T08:00:00Z', to: 1 },
  ] as unknown as Parameters<typeof lastOf>[0]
  expect(lastOf(events, 4)?.to).toBe(2)
  expect(lastOf(events, 1)).toBeUndefined()
})

import { describe, expect, it } from 'vitest'
import { linesOf, momentsOf, newestOf, type PlacePoint } from './series'

const end = Date.parse('2026-11-23T12:00:00Z')
const point = (ago: number, online: number) =>
  ({ at: new Date(end - ago * 60_000).toISOString(), online }) as PlacePoint

describe('figures of several places', () => {
  const tracks = [
    { name: 'a', points: [point(12, 5), point(11, 6), point(0, 7)] },
    { name: 'b', points: Array.from({ length: 30 }, (_, at) => point(29 - at, at)) },
  ]
  const moments = momentsOf(tracks, 1, end)

  it('stand on the whole span, also where nobody reported', () => {
    expect(moments).toHaveLength(61)
    expect(moments[0]).toBe(end - 3_600_000)
    expect(moments.at(-1)).toBe(end)
  })

  it('are a hole where nothing was told for more than a tick', () => {
    const [a, b] = linesOf(tracks, [['online', 'Online']], moments)
    expect(a?.name).toBe('a Online')
    expect(a?.values.slice(47, 52)).toEqual([null, 5, 6, 6, null])
    expect(b?.values.slice(29, 33)).toEqual([null, null, 0, 1])
  })

  it('need no name of a place where there is one, and have the colour of their state', () => {
    const [line] = linesOf(tracks.slice(0, 1), [['fault', 'Fault', '--st-fault']], moments)
    expect(line).toMatchObject({ name: 'Fault', token: '--st-fault' })
  })

  it('are as old as their newest point', () => {
    expect(newestOf(tracks)).toBe(end)
    expect(newestOf([])).toBeUndefined()
  })
})

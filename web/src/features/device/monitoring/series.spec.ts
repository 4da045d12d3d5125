import { describe, expect, it } from 'vitest'
import { linesOf, momentsOf, type PlacePoint } from './series'

const point = (at: string, online: number) => ({ at, online }) as PlacePoint

describe('figures of several places', () => {
  const tracks = [
    { name: 'a', points: [point('1', 5), point('3', 7)] },
    { name: 'b', points: [point('2', 1), point('3', 2)] },
  ]

  it('stand on common moments', () => {
    expect(momentsOf(tracks)).toEqual(['1', '2', '3'])
  })

  it('go on until the next one', () => {
    expect(linesOf(tracks, [['online', 'Online']])).toEqual([
      { name: 'a Online', values: [5, 5, 7] },
      { name: 'b Online', values: [0, 1, 2] },
    ])
  })

  it('need no name of a place where there is one', () => {
    expect(linesOf(tracks.slice(0, 1), [['online', 'Online']])[0]?.name).toBe('Online')
  })
})

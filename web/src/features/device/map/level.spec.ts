import { describe, expect, it } from 'vitest'
import { levelOf, type Point } from './level'

const room = (total: number, fault: number, offline: number, agents = 1) =>
  ({ agents, counts: { total, fault, offline } }) as Point

describe('how a room is', () => {
  it.each([
    [room(1000, 1, 0), 'good'],
    [room(100, 1, 1), 'some'],
    [room(100, 4, 6), 'many'],
    [room(0, 0, 0), 'good'],
    [room(100, 0, 0, 0), 'away'],
  ])('goes by the share of its cards, %#', (point, level) => {
    expect(levelOf(point)).toBe(level)
  })
})

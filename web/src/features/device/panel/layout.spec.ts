import { describe, expect, it } from 'vitest'
import { cellAt, cellSize, cellsIn, layoutRacks, neighbour, type RackHost } from './layout'

const host = (id: number, frame: number, slot: number, positions = 3): RackHost => ({
  id,
  frame,
  slot,
  name: `h${id}`,
  positions,
})
const frames = [
  { id: 1, name: 'A' },
  { id: 2, name: 'B' },
]
const hosts = [host(12, 1, 2), host(11, 1, 1), host(21, 2, 1)]

describe('the racks of a room', () => {
  const layout = layoutRacks(frames, hosts, 1000)

  it('stand side by side, hosts in the order of their slots', () => {
    expect(layout.frames.map(({ name, y }) => [name, y])).toEqual([
      ['A', 0],
      ['B', 0],
    ])
    expect(layout.cells.map((cell) => cell.host)).toEqual([11, 11, 11, 12, 12, 12, 21, 21, 21])
  })

  it('go on below where the width ends, and never beside it', () => {
    const narrow = layoutRacks(frames, hosts, 70)
    expect(narrow.frames[1]?.x).toBe(0)
    expect(narrow.frames[1]?.y).toBeGreaterThan(layout.frames[0]?.height ?? 0)
  })

  it('tell which cell is at a point', () => {
    const cell = layout.cells[4]
    expect(cell && cellAt(layout, cell.x + 1, cell.y + cellSize - 1)).toBe(cell)
    expect(cellAt(layout, 0, 0)).toBeUndefined()
  })

  it('are selected by a rectangle drawn in any direction', () => {
    const [a, b] = [layout.cells[0], layout.cells[4]]
    if (!a || !b) throw new Error('no cells')
    const hit = (from: typeof a, to: typeof b) =>
      cellsIn(layout, { x: from.x + 1, y: from.y + 1 }, { x: to.x + 1, y: to.y + 1 }).map(({ host, position }) => [
        host,
        position,
      ])
    const expected = [
      [11, 1],
      [11, 2],
      [12, 1],
      [12, 2],
    ]
    expect(hit(a, b)).toEqual(expected)
    expect(hit(b, a)).toEqual(expected)
  })

  it('are walked with arrow keys, into the next frame too', () => {
    expect(neighbour(layout, 0, 'ArrowRight')).toBe(1)
    expect(neighbour(layout, 0, 'ArrowDown')).toBe(3)
    expect(neighbour(layout, 2, 'ArrowRight')).toBe(6)
    expect(neighbour(layout, 0, 'ArrowUp')).toBe(0)
    expect(neighbour(layout, -1, 'ArrowUp')).toBe(0)
  })
})

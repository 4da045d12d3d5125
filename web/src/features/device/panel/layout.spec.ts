import { describe, expect, it } from 'vitest'
import { cellAt, cellSize, cellsBetween, cellsIn, labelAt, layoutRacks, neighbour, type RackHost } from './layout'

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
const middle = ({ x, y, width, height }: { x: number; y: number; width: number; height: number }) => ({
  x: x + width / 2,
  y: y + height / 2,
})

describe('the racks of a room', () => {
  const layout = layoutRacks(frames, hosts, 1000)

  it('stand side by side, hosts in the order of their slots', () => {
    expect(layout.frames.map(({ name, y }) => [name, y])).toEqual([
      ['A', 0],
      ['B', 0],
    ])
    expect(layout.cells.map((cell) => cell.host)).toEqual([11, 11, 11, 12, 12, 12, 21, 21, 21])
    expect(layout.frames.map(({ first, cells }) => [first, cells.length])).toEqual([
      [0, 6],
      [6, 3],
    ])
  })

  it('go on below where the width ends, and never beside it', () => {
    const narrow = layoutRacks(frames, hosts, 180)
    expect(narrow.frames[1]?.x).toBe(0)
    expect(narrow.frames[1]?.y).toBeGreaterThan(layout.frames[0]?.height ?? 0)
  })

  it.each([600, 700, 836, 1180, 1640])(
    'fill a width of %i with frames of twelve positions and never exceed it',
    (width) => {
      const four = [1, 2, 3, 4].map((id) => ({ id, name: `F${id}` }))
      const racks = layoutRacks(
        four,
        four.map(({ id }) => host(id, id, 1, 12)),
        width,
      )
      const right = Math.max(...racks.frames.map((frame) => frame.x + frame.width))
      expect(right).toBeLessThanOrEqual(width)
      expect(right).toBeGreaterThan(width * 0.95)
    },
  )

  it.each([0.6, 0.8, 1, 1.4])('have cells of their size at a zoom of %d, little narrower at most', (zoom) => {
    const [cell] = layoutRacks(frames, hosts, 1000, zoom).cells
    expect(cell?.height).toBe(Math.round(cellSize.height * zoom))
    expect(cell?.width).toBeGreaterThan(cellSize.width * zoom * 0.8)
  })

  it('tell which cell or host name is at a point, for each of them', () => {
    for (const cell of layout.cells) {
      expect(cellAt(layout, middle(cell))).toBe(cell)
      expect(cellAt(layout, { x: cell.x + cell.width, y: cell.y })).not.toBe(cell)
    }
    for (const label of layout.frames.flatMap(({ labels }) => labels))
      expect(labelAt(layout, middle(label))).toBe(label)
    expect(cellAt(layout, { x: 0, y: 0 })).toBeUndefined()
  })

  it('are selected by a rectangle drawn in any direction', () => {
    const [a, b] = [layout.cells[0], layout.cells[4]]
    if (!a || !b) throw new Error('no cells')
    const hit = (from: typeof a, to: typeof b) =>
      cellsIn(layout, middle(from), middle(to)).map(({ host, position }) => [host, position])
    const expected = [
      [11, 1],
      [11, 2],
      [12, 1],
      [12, 2],
    ]
    expect(hit(a, b)).toEqual(expected)
    expect(hit(b, a)).toEqual(expected)
  })

  it('have a range from one cell to another, in either direction', () => {
    const range = (from: number, to: number) => cellsBetween(layout, from, to).map((cell) => layout.cells.indexOf(cell))
    expect(range(2, 4)).toEqual([2, 3, 4])
    expect(range(4, 2)).toEqual([2, 3, 4])
    expect(range(-1, 0)).toEqual([0])
  })

  it('are walked with arrow keys, into the next frame too', () => {
    expect(neighbour(layout, 0, 'ArrowRight')).toBe(1)
    expect(neighbour(layout, 0, 'ArrowDown')).toBe(3)
    expect(neighbour(layout, 2, 'ArrowRight')).toBe(6)
    expect(neighbour(layout, 0, 'ArrowUp')).toBe(0)
    expect(neighbour(layout, -1, 'ArrowUp')).toBe(0)
  })
})

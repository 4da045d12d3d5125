/** Where everything of a room is drawn. Pixels; nothing here knows a canvas. */

export interface RackHost {
  id: number
  frame: number
  slot: number
  name: string
  positions: number
}

export interface RackFrame {
  id: number
  name: string
}

export interface Rect {
  x: number
  y: number
  width: number
  height: number
}

/** A position of a host. */
export interface Cell extends Rect {
  host: number
  position: number
}

export interface FrameBox extends Rect {
  id: number
  name: string
}

export interface RackLayout {
  frames: FrameBox[]
  /** Frame by frame, host by host, position by position. */
  cells: Cell[]
  height: number
}

export const cellSize = 15
const step = cellSize + 2
const padding = 6
const heading = 20
const gap = 12

/** Frames side by side, as many as fit, each with its hosts from top to bottom. */
export function layoutRacks(frames: readonly RackFrame[], hosts: readonly RackHost[], width: number): RackLayout {
  const byFrame = new Map<number, RackHost[]>()
  for (const host of hosts) byFrame.set(host.frame, [...(byFrame.get(host.frame) ?? []), host])
  const boxes: FrameBox[] = []
  const cells: Cell[] = []
  let [x, y, rowHeight] = [0, 0, 0]
  for (const { id, name } of frames) {
    const own = (byFrame.get(id) ?? []).toSorted((a, b) => a.slot - b.slot)
    if (own.length === 0) continue
    const widest = Math.max(...own.map(({ positions }) => positions))
    const box = { width: widest * step + padding * 2, height: own.length * step + padding * 2 + heading }
    if (x > 0 && x + box.width > width) {
      x = 0
      y += rowHeight + gap
      rowHeight = 0
    }
    boxes.push({ id, name, x, y, ...box })
    own.forEach((host, row) => {
      for (let position = 1; position <= host.positions; position++) {
        cells.push({
          host: host.id,
          position,
          x: x + padding + (position - 1) * step,
          y: y + heading + padding + row * step,
          width: cellSize,
          height: cellSize,
        })
      }
    })
    x += box.width + gap
    rowHeight = Math.max(rowHeight, box.height)
  }
  return { frames: boxes, cells, height: y + rowHeight }
}

/** The cell at a point; none between cells. */
export function cellAt(layout: RackLayout, x: number, y: number): Cell | undefined {
  const box = layout.frames.find((frame) => isIn(frame, x, y))
  return box && layout.cells.find((cell) => isIn(cell, x, y))
}

/** The cells that a rectangle touches, however it was drawn. */
export function cellsIn(layout: RackLayout, from: { x: number; y: number }, to: { x: number; y: number }): Cell[] {
  const [left, right] = [Math.min(from.x, to.x), Math.max(from.x, to.x)]
  const [top, bottom] = [Math.min(from.y, to.y), Math.max(from.y, to.y)]
  return layout.cells.filter(
    (cell) => cell.x < right && cell.x + cell.width > left && cell.y < bottom && cell.y + cell.height > top,
  )
}

const isIn = (rect: Rect, x: number, y: number) =>
  x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height

/** The cell that an arrow key leads to: the nearest one in that direction, or the same at the edge. */
export function neighbour(layout: RackLayout, at: number, key: string): number {
  const here = layout.cells[at]
  if (!here) return layout.cells.length > 0 ? 0 : -1
  const ahead = {
    ArrowLeft: (cell: Cell) => [here.x - cell.x, cell.y - here.y],
    ArrowRight: (cell: Cell) => [cell.x - here.x, cell.y - here.y],
    ArrowUp: (cell: Cell) => [here.y - cell.y, cell.x - here.x],
    ArrowDown: (cell: Cell) => [cell.y - here.y, cell.x - here.x],
  }[key]
  if (!ahead) return at
  let [best, cost] = [at, Number.POSITIVE_INFINITY]
  layout.cells.forEach((cell, index) => {
    const [along = 0, aside = 0] = ahead(cell)
    // Straight ahead is better than near: a step aside counts three.
    const total = along + Math.abs(aside) * 3
    if (along > 0 && total < cost) [best, cost] = [index, total]
  })
  return best
}

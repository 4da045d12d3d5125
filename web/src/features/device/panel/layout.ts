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

export interface Point {
  x: number
  y: number
}

export interface Rect extends Point {
  width: number
  height: number
}

/** A position of a host. */
export interface Cell extends Rect {
  host: number
  position: number
}

/** The name of a host, left of its cells. */
export interface HostLabel extends Rect {
  host: number
  name: string
}

export interface FrameBox extends Rect {
  id: number
  name: string
  /** Host by host, position by position: a part of the cells of the room. */
  cells: readonly Cell[]
  /** Where the first of them is among all. */
  first: number
  labels: readonly HostLabel[]
}

export interface RackLayout {
  frames: readonly FrameBox[]
  /** Frame by frame, host by host, position by position. */
  cells: readonly Cell[]
  height: number
}

/** How large a cell is at a zoom of 1, and the space between two. */
export const cellSize = { width: 27, height: 20 }
const between = 2
/** A cell grows at most so much where a frame has room to spare. */
const mostGrowth = 2.2
/** And it gives up so much where one more frame fits beside the others. */
const mostThrift = 0.85
const padding = 8
/** The heading with the name of a frame, and the line of position numbers below it. */
export const heading = 30
export const numbers = 15
const gap = 10

/** Frames side by side, as many as fit, their cells as wide as fills the width, hosts from top to bottom. */
export function layoutRacks(
  frames: readonly RackFrame[],
  hosts: readonly RackHost[],
  width: number,
  zoom = 1,
): RackLayout {
  const racked = frames
    .map((frame) => ({ ...frame, hosts: hosts.filter((host) => host.frame === frame.id).sort(bySlot) }))
    .filter(({ hosts }) => hosts.length > 0)
  const label = Math.min(150, Math.max(56, ...hosts.map(({ name }) => widthOf(name))) + 8)
  const widest = Math.max(1, ...racked.flatMap((frame) => frame.hosts.map(({ positions }) => positions)))
  const least = Math.round(cellSize.width * zoom)
  const around = label + padding * 2 - between
  const columns = Math.max(
    1,
    Math.min(racked.length, Math.floor((width + gap) / (around + widest * (least * mostThrift + between) + gap))),
  )
  const share = Math.floor((width - gap * (columns - 1)) / columns)
  const fitting = Math.floor((share - around) / widest) - between
  const cellWidth = Math.max(6, Math.min(Math.round(least * mostGrowth), fitting))
  const cellHeight = Math.round(cellSize.height * zoom)
  const tight = Math.max(160, around + widest * (cellWidth + between))
  // What is left over by whole pixels belongs to the frame, so that its edge is where the page's is.
  const boxWidth = cellWidth === fitting ? Math.max(tight, share) : tight

  const boxes: FrameBox[] = []
  const cells: Cell[] = []
  let [y, rowHeight] = [0, 0]
  racked.forEach((frame, at) => {
    if (at > 0 && at % columns === 0) {
      y += rowHeight + gap
      rowHeight = 0
    }
    const x = (at % columns) * (boxWidth + gap)
    const height = heading + numbers + frame.hosts.length * (cellHeight + between) + padding - between
    const first = cells.length
    const labels: HostLabel[] = []
    frame.hosts.forEach((host, row) => {
      const top = y + heading + numbers + row * (cellHeight + between)
      labels.push({ host: host.id, name: host.name, x: x + padding, y: top, width: label, height: cellHeight })
      for (let position = 1; position <= host.positions; position++) {
        cells.push({
          host: host.id,
          position,
          x: x + padding + label + (position - 1) * (cellWidth + between),
          y: top,
          width: cellWidth,
          height: cellHeight,
        })
      }
    })
    boxes.push({
      id: frame.id,
      name: frame.name,
      x,
      y,
      width: boxWidth,
      height,
      first,
      cells: cells.slice(first),
      labels,
    })
    rowHeight = Math.max(rowHeight, height)
  })
  return { frames: boxes, cells, height: y + rowHeight }
}

const bySlot = (a: RackHost, b: RackHost) => a.slot - b.slot

/** About how wide a name is at 12 px; a Chinese character takes two of the others. */
const widthOf = (name: string) =>
  [...name].reduce((sum, letter) => sum + ((letter.codePointAt(0) ?? 0) > 255 ? 12 : 6.8), 0)

const frameAt = (layout: RackLayout, { x, y }: Point) => layout.frames.find((frame) => isIn(frame, x, y))

/** The cell at a point; none between cells. */
export function cellAt(layout: RackLayout, point: Point): Cell | undefined {
  return frameAt(layout, point)?.cells.find((cell) => isIn(cell, point.x, point.y))
}

/** The host whose name is at a point. */
export function labelAt(layout: RackLayout, point: Point): HostLabel | undefined {
  return frameAt(layout, point)?.labels.find((label) => isIn(label, point.x, point.y))
}

/** The cells that a rectangle touches, however it was drawn. */
export function cellsIn(layout: RackLayout, from: Point, to: Point): Cell[] {
  const [left, right] = [Math.min(from.x, to.x), Math.max(from.x, to.x)]
  const [top, bottom] = [Math.min(from.y, to.y), Math.max(from.y, to.y)]
  return layout.cells.filter(
    (cell) => cell.x < right && cell.x + cell.width > left && cell.y < bottom && cell.y + cell.height > top,
  )
}

/** The cells from one to another in the order of the racks, both included. */
export function cellsBetween(layout: RackLayout, from: number, to: number): readonly Cell[] {
  return layout.cells.slice(Math.max(0, Math.min(from, to)), Math.max(from, to) + 1)
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

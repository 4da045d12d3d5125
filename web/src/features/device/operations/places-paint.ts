import { type Ink, inkOf, prepared } from '../panel/paint'
import { taskStep } from './choices'
import type { Places } from './clusters'
import type { Shown } from './shown'

type Host = Places['frames'][number]['hosts'][number]

/** One host as a row of cells: a card each, by position. */
export interface HostRow {
  id: number | null
  name: string
  cells: readonly TaskCell[]
  done: number
  failed: number
}

export interface TaskCell {
  card: number
  position: number
  state: number
  /** The code of its reason; empty if it has none. */
  code: string
}

const { pending, running, succeeded, failed } = taskStep.value

/** The rows of a frame. A position from which nothing was selected is a gap. */
export function rowsOf(hosts: readonly Host[], codes: readonly string[]): HostRow[] {
  return hosts.map((host) => {
    const cells = host.cards.map((card, at) => ({
      card,
      position: host.positions[at] ?? 0,
      state: host.states[at] ?? 0,
      code: codes[(host.reasons[at] ?? 0) - 1] ?? '',
    }))
    return {
      id: host.id ?? null,
      name: host.name,
      cells,
      done: cells.filter(({ state }) => state !== pending && state !== running).length,
      failed: cells.filter(({ state }) => state === failed).length,
    }
  })
}

/** Sizes of the picture of a frame, in pixels. */
export const sizes = { label: 84, count: 30, row: 20, cell: 13, gap: 1 }

/** How many columns a row needs: positions, and cards that have left theirs behind them. */
export const columnsOf = (row: HostRow) =>
  Math.max(0, ...row.cells.map(({ position }) => position)) + row.cells.filter(({ position }) => position === 0).length

/** The column of each cell of a row. */
export function columnsIn(row: HostRow): number[] {
  let last = Math.max(0, ...row.cells.map(({ position }) => position))
  return row.cells.map(({ position }) => {
    if (position > 0) return position - 1
    last += 1
    return last - 1
  })
}

/** The cell at a point of the picture, and the row. */
export function hitOf(rows: readonly HostRow[], width: number, x: number, y: number) {
  const row = rows[Math.floor(y / sizes.row)]
  if (!row) return undefined
  const column = Math.floor((x - sizes.label) / (width + sizes.gap))
  const at = x < sizes.label ? -1 : columnsIn(row).indexOf(column)
  return { row, ...(row.cells[at] && { cell: row.cells[at] }) }
}

/** Whether a task is among those that are shown. */
export const isShown = ({ state, code }: TaskCell, shown: Shown) =>
  (shown.state === undefined || shown.state === state) && (shown.code === undefined || shown.code === code)

interface Picture {
  rows: readonly HostRow[]
  width: number
  cell: number
  shown: Shown
  /** What the pointer is on: a host, or a reason. */
  hot: Hot | undefined
}

export interface Hot {
  host?: number | undefined
  code?: string | undefined
}

/** Draws the hosts of a frame: names, cells, and how many are done. */
export function paintPlaces(canvas: HTMLCanvasElement, { rows, width, cell, shown, hot }: Picture) {
  const context = prepared(canvas, width, rows.length * sizes.row)
  if (!context) return
  const ink = inkOf(canvas)
  const font = getComputedStyle(canvas).fontFamily
  context.textBaseline = 'middle'
  rows.forEach((row, line) => {
    const y = line * sizes.row
    const middle = y + sizes.row / 2
    const isLost = row.failed > 0 && row.failed === row.cells.length
    if (hot?.host !== undefined && hot.host === row.id) {
      context.fillStyle = ink('sky-primary-tint')
      context.fillRect(0, y, width, sizes.row)
    }
    context.font = `${isLost ? 600 : 400} 12px ${font}`
    context.textAlign = 'left'
    context.fillStyle = ink(isLost ? 'sky-bad' : 'sky-text-soft')
    context.fillText(row.name, 0, middle, sizes.label - 6)
    const columns = columnsIn(row)
    row.cells.forEach((task, at) => {
      const dimmed = !isShown(task, shown) || (hot?.code !== undefined && hot.code !== task.code)
      context.globalAlpha = dimmed ? 0.18 : 1
      const x = sizes.label + (columns[at] ?? 0) * (cell + sizes.gap)
      paintTask(context, ink, task.state, { x, y: y + 3, width: cell, height: sizes.row - 6 }, font)
      context.globalAlpha = 1
    })
    context.font = `12px ${font}`
    context.textAlign = 'right'
    context.fillStyle = ink('sky-text-soft')
    context.fillText(String(row.done), width - 2, middle)
  })
}

interface Rect {
  x: number
  y: number
  width: number
  height: number
}

/** Done is calm, trouble is strong; what is to come is an outline. */
function paintTask(context: CanvasRenderingContext2D, ink: Ink, state: number, rect: Rect, font: string) {
  const { x, y, width, height } = rect
  const fill = (token: string) => {
    context.fillStyle = ink(token)
    context.fillRect(x, y, width, height)
  }
  const outline = (token: string, line: number) => {
    context.strokeStyle = ink(token)
    context.lineWidth = line
    context.strokeRect(x + line / 2, y + line / 2, width - line, height - line)
  }
  const sign = (text: string, token: string) => {
    if (width < 9) return
    context.font = `700 11px ${font}`
    context.textAlign = 'center'
    context.fillStyle = ink(token)
    context.fillText(text, x + width / 2, y + height / 2 + 0.5)
  }
  if (state === succeeded) fill('st-idle')
  else if (state === failed) {
    fill('st-fault')
    sign('×', 'st-fault-ink')
  } else if (state === running) outline('sky-primary', 2)
  else if (state === pending) outline('sky-border', 1)
  else {
    fill('sky-muted-tint')
    outline('sky-border', 1)
    sign('»', 'sky-text-soft')
  }
}

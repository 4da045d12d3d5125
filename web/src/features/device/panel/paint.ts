import { type State, stateLooks } from '@/ui/states'
import { runStatus } from '../choices'
import { type Cell, type FrameBox, heading, numbers, type Rect } from './layout'

const stateOf = new Map(runStatus.list.map(({ value, state }) => [value, state]))

/** The name by which the look of a status goes. */
export const lookOf = (status: number): State => stateOf.get(status as never) ?? 'unknown'

/** The colours of the theme, as the style sheet has them. */
export type Ink = (token: string) => string

/** The colours as they are now; each is read once. After a change of theme they are to be asked for anew. */
export function inkOf(element: Element): Ink {
  const style = getComputedStyle(element)
  const read = new Map<string, string>()
  return (token) => {
    const known = read.get(token)
    if (known !== undefined) return known
    const value = style.getPropertyValue(`--${token}`).trim()
    read.set(token, value)
    return value
  }
}

/** Gives a canvas its size in the pixels of the screen, and the context that draws in those of the page. */
export function prepared(canvas: HTMLCanvasElement, width: number, height: number) {
  const ratio = window.devicePixelRatio || 1
  canvas.width = Math.max(1, Math.round(width * ratio))
  canvas.height = Math.max(1, Math.round(height * ratio))
  const context = canvas.getContext('2d')
  context?.setTransform(ratio, 0, 0, ratio, 0, 0)
  return context
}

/** A block in the colour of a state; unknown is an outline, for it is no state of the card. */
export function paintBlock(context: CanvasRenderingContext2D, ink: Ink, state: State, { x, y, width, height }: Rect) {
  context.fillStyle = ink(`st-${stateLooks[state].token}`)
  context.fillRect(x, y, width, height)
  if (state !== 'unknown') return
  context.strokeStyle = ink('st-unk-line')
  context.lineWidth = 1
  context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1)
}

/** The sign of a state in the middle of its cell. A circle and a dot are drawn: no two fonts agree on them. */
function paintSign(context: CanvasRenderingContext2D, ink: Ink, state: State, { x, y, width, height }: Rect) {
  const { token, sign } = stateLooks[state]
  const [midX, midY] = [x + width / 2, y + height / 2]
  context.fillStyle = context.strokeStyle = ink(`st-${token}-ink`)
  context.lineWidth = 1
  if (state === 'idle' || state === 'inUse') {
    context.beginPath()
    context.arc(midX, midY, 3, 0, Math.PI * 2)
    state === 'idle' ? context.stroke() : context.fill()
  } else context.fillText(sign, midX, midY + 0.5)
}

/** One frame as it is to be seen. A letter of `statuses` or `marks` stands for a cell, so that two are easily compared. */
export interface FramePicture {
  box: FrameBox
  /** The status of each cell, a blank where no card is. */
  statuses: string
  /** `1` where a cell is selected. */
  marks: string
  /** The cell that has the focus, counted within the frame; -1 if none. */
  focus: number
  /** The only status that is not dimmed. */
  only: number | undefined
  /** The hosts that have trouble. */
  troubled: ReadonlySet<number>
}

/** Draws all of a frame below its heading: position numbers, names of hosts, cells. */
export function paintFrame(context: CanvasRenderingContext2D, ink: Ink, picture: FramePicture) {
  const { box, statuses, marks, focus, only, troubled } = picture
  const { cells, labels } = box
  context.save()
  context.translate(-box.x, -box.y - heading)
  context.clearRect(box.x, box.y + heading, box.width, box.height)
  context.textBaseline = 'middle'
  const font = getComputedStyle(context.canvas).fontFamily
  const [height, width] = [cells[0]?.height ?? 0, cells[0]?.width ?? 0]
  paintNumbers(context, ink, box, font)
  for (const label of labels) {
    const isTroubled = troubled.has(label.host)
    context.font = `${isTroubled ? 600 : 400} ${Math.min(12, height)}px ${font}`
    context.textAlign = 'left'
    context.fillStyle = ink(isTroubled ? 'sky-bad' : 'sky-text-soft')
    context.fillText(label.name, label.x, label.y + height / 2 + 0.5, label.width - 6)
  }
  context.textAlign = 'center'
  context.font = `700 11px ${font}`
  const signs = height >= 16 && width >= 12
  cells.forEach((cell, at) => {
    const status = statuses[at]
    if (status === undefined || status === ' ') {
      context.fillStyle = ink('sky-muted-tint')
      context.fillRect(cell.x, cell.y, cell.width, cell.height)
    } else {
      const state = lookOf(Number(status))
      context.globalAlpha = only === undefined || only === Number(status) ? 1 : 0.18
      paintBlock(context, ink, state, cell)
      if (signs) paintSign(context, ink, state, cell)
      context.globalAlpha = 1
    }
    if (marks[at] === '1') outline(context, cell, ink('sky-text'), 0)
    if (at === focus) outline(context, cell, ink('sky-primary'), 1)
  })
  context.restore()
}

/** The position numbers over the widest host. */
function paintNumbers(context: CanvasRenderingContext2D, ink: Ink, box: FrameBox, font: string) {
  context.font = `11px ${font}`
  context.textAlign = 'center'
  context.fillStyle = ink('sky-text-soft')
  const seen = new Set<number>()
  for (const { position, x, width } of box.cells) {
    // In cells that are narrower than two digits every other number is enough.
    if (seen.has(position) || (width < 15 && position % 2 === 0)) continue
    seen.add(position)
    context.fillText(String(position), x + width / 2, box.y + heading + numbers / 2)
  }
}

/** Two pixels around a cell, within the space between cells. */
function outline(context: CanvasRenderingContext2D, { x, y, width, height }: Cell, colour: string, offset: number) {
  context.strokeStyle = colour
  context.lineWidth = 2
  context.strokeRect(x - offset, y - offset, width + offset * 2, height + offset * 2)
}

import { runStatus } from '../choices'
import { type Cell, cellSize, type RackLayout } from './layout'

/** How a status looks: a colour and a sign, so that neither is needed alone. */
export const looks: Readonly<Record<number, { colour: string; sign: string }>> = {
  [runStatus.value.idle]: { colour: '#2f9e6e', sign: '' },
  [runStatus.value.inUse]: { colour: '#3d7eff', sign: '●' },
  [runStatus.value.maintenance]: { colour: '#c98a12', sign: 'M' },
  [runStatus.value.fault]: { colour: '#d64545', sign: '×' },
  [runStatus.value.upgrading]: { colour: '#8a63d2', sign: '↑' },
  [runStatus.value.offline]: { colour: '#6b2f35', sign: '–' },
  [runStatus.value.unknown]: { colour: '#8a94a6', sign: '?' },
}

/** What is known of a position. */
export interface Shown {
  status: number
  isSelected: boolean
  /** Another status was asked for. */
  isDim: boolean
}

interface Picture {
  layout: RackLayout
  shown: (cell: Cell) => Shown | undefined
  focus: number
  drag: { x: number; y: number; width: number; height: number } | undefined
  text: string
  line: string
}

/** Draws the racks. All of a room of 14,400 positions is a few milliseconds. */
export function paint(context: CanvasRenderingContext2D, { layout, shown, focus, drag, text, line }: Picture) {
  const { canvas } = context
  context.clearRect(0, 0, canvas.width, canvas.height)
  context.textBaseline = 'middle'
  context.font = '12px sans-serif'
  context.textAlign = 'left'
  context.strokeStyle = line
  context.fillStyle = text
  for (const frame of layout.frames) {
    context.strokeRect(frame.x + 0.5, frame.y + 0.5, frame.width - 1, frame.height - 1)
    context.fillText(frame.name, frame.x + 7, frame.y + 13)
  }
  context.font = 'bold 10px sans-serif'
  context.textAlign = 'center'
  layout.cells.forEach((cell, index) => {
    const now = shown(cell)
    const look = now && looks[now.status]
    context.globalAlpha = now?.isDim ? 0.18 : 1
    if (look) {
      context.fillStyle = look.colour
      context.fillRect(cell.x, cell.y, cellSize, cellSize)
      if (look.sign) {
        context.fillStyle = '#ffffff'
        context.fillText(look.sign, cell.x + cellSize / 2, cell.y + cellSize / 2 + 1)
      }
    } else {
      context.strokeStyle = line
      context.strokeRect(cell.x + 0.5, cell.y + 0.5, cellSize - 1, cellSize - 1)
    }
    context.globalAlpha = 1
    if (now?.isSelected || index === focus) {
      context.strokeStyle = text
      context.lineWidth = now?.isSelected ? 2 : 1
      context.strokeRect(cell.x - 1, cell.y - 1, cellSize + 2, cellSize + 2)
      context.lineWidth = 1
    }
  })
  if (drag) {
    context.strokeStyle = text
    context.setLineDash([4, 3])
    context.strokeRect(drag.x, drag.y, drag.width, drag.height)
    context.setLineDash([])
  }
}

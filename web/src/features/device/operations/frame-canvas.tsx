import { type MouseEvent, memo, useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { useTheme } from '@/access/theme'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { choiceText } from '@/kit/choices'
import { Popover } from '@/ui/popover'
import { taskStep } from './choices'
import { messages } from './messages'
import { type HostRow, type Hot, hitOf, paintPlaces, sizes, type TaskCell } from './places-paint'
import type { Shown } from './shown'

interface FrameCanvasProps {
  rows: readonly HostRow[]
  width: number
  cell: number
  shown: Shown
  hot: Hot | undefined
  onHot: (hot: Hot | undefined) => void
}

interface Pointed {
  row: HostRow
  task: TaskCell
  x: number
  y: number
}

/** The hosts of a frame in one picture. A click on a cell leads to its card; the list of results says the same in words. */
export const FrameCanvas = memo(function FrameCanvas(props: FrameCanvasProps) {
  const { rows, width, cell, shown, hot, onHot } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const [pointed, setPointed] = useState<Pointed>()
  const theme = useTheme()
  const navigate = useNavigate()
  const language = useLanguage()
  const m = useMessages(messages)
  // The picture is outside React. The theme changes no argument of it, but every colour.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme is read out of the style sheet
  useEffect(() => {
    if (canvas.current) paintPlaces(canvas.current, { rows, width, cell, shown, hot })
  }, [rows, width, cell, shown.state, shown.code, hot, theme])

  const hit = ({ nativeEvent }: MouseEvent) => hitOf(rows, cell, nativeEvent.offsetX, nativeEvent.offsetY)
  const move = (event: MouseEvent) => {
    const found = hit(event)
    onHot(found?.row.id ? { host: found.row.id } : undefined)
    const task = found?.cell
    if (!found || !task) return setPointed(undefined)
    const at = rows.indexOf(found.row)
    const x = event.nativeEvent.offsetX
    if (pointed?.task.card !== task.card) setPointed({ row: found.row, task, x, y: at * sizes.row })
  }
  const leave = () => {
    setPointed(undefined)
    onHot(undefined)
  }
  return (
    <div className="operation-frame">
      <canvas
        ref={canvas}
        style={{ width, height: rows.length * sizes.row }}
        aria-hidden
        onMouseMove={move}
        onMouseLeave={leave}
        onClick={(event) => {
          const card = hit(event)?.cell?.card
          if (card !== undefined) void navigate(`/device/management?detail=${card}`)
        }}
      />
      {pointed && (
        <Popover
          open
          placement="right"
          content={
            <div>
              <strong>{m.position(pointed.row.name, pointed.task.position)}</strong>
              <div>{choiceText(taskStep, pointed.task.state, language)}</div>
              <div className="sky-soft">{m.cellHint}</div>
            </div>
          }
        >
          <span className="operation-pointed" style={{ left: pointed.x + 8, top: pointed.y + sizes.row / 2 }} />
        </Popover>
      )}
    </div>
  )
})

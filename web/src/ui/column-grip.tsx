import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { contentWidths } from './content-widths'

const narrowest = 56
const widest = 900
/** Pixels of an arrow key, and of one with Shift. */
const step = 8
const leap = 40

interface ColumnGripProps {
  /** The column. */
  name: string
  label: string
  /** Pixels, as it is now. */
  width: number
  /** The way in by Tab; the arrow keys lead on to the others. */
  isFirst: boolean
  /** Hears of the width that was chosen. */
  onWidth: (pixels: number) => void
}

/**
 * The edge of a column: dragging it or the arrow keys make the column as wide as that, a double click or Enter as wide
 * as its contents. While it is dragged, the table is changed past React: all its rows would be drawn anew for every
 * pixel. The edges of a table are one stop of the Tab key, or nobody would get through the headings.
 */
export function ColumnGrip({ name, label, width, isFirst, onWidth }: ColumnGripProps) {
  const drag = useRef<{ from: number; width: number; now: number; table: number }>(undefined)

  const begin = (event: PointerEvent<HTMLButtonElement>) => {
    const { th, table } = partsOf(event.currentTarget)
    if (event.button !== 0 || !th || !table) return
    event.preventDefault()
    event.currentTarget.setPointerCapture(event.pointerId)
    drag.current = { from: event.clientX, width: th.offsetWidth, now: th.offsetWidth, table: table.offsetWidth }
  }
  const move = (event: PointerEvent<HTMLButtonElement>) => {
    const { table, col } = partsOf(event.currentTarget)
    const moving = drag.current
    if (!moving || !table || !col) return
    moving.now = within(moving.width + event.clientX - moving.from)
    col.style.width = `${moving.now}px`
    table.style.width = `${moving.table + moving.now - moving.width}px`
    event.currentTarget.dataset.width = `${moving.now} px`
  }
  const end = (event: PointerEvent<HTMLButtonElement>) => {
    const moving = drag.current
    drag.current = undefined
    delete event.currentTarget.dataset.width
    const { table } = partsOf(event.currentTarget)
    table?.style.removeProperty('width')
    if (moving && moving.now !== moving.width) onWidth(moving.now)
  }
  const fitContents = (event: { currentTarget: HTMLElement }) => {
    const { th, table } = partsOf(event.currentTarget)
    if (th && table) onWidth(within(contentWidths(table)[th.cellIndex]?.all ?? th.offsetWidth))
  }

  const press = (event: KeyboardEvent<HTMLButtonElement>) => {
    const grip = event.currentTarget
    const { th, table } = partsOf(grip)
    if (!th || !table || event.altKey || event.ctrlKey || event.metaKey) return
    const grips = [...table.querySelectorAll<HTMLElement>('.sky-grip')]
    const by = event.shiftKey ? leap : step
    const acts: Record<string, () => void> = {
      ArrowLeft: () => onWidth(within(th.offsetWidth - by)),
      ArrowRight: () => onWidth(within(th.offsetWidth + by)),
      ArrowUp: () => grips[grips.indexOf(grip) - 1]?.focus(),
      ArrowDown: () => grips[grips.indexOf(grip) + 1]?.focus(),
      Enter: () => fitContents(event),
    }
    const act = acts[event.key]
    if (!act) return
    event.preventDefault()
    // The list moves through its rows by the same keys.
    event.stopPropagation()
    act()
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> has no focus; a splitter that can be moved has a value
    <button
      type="button"
      role="separator"
      className="sky-grip"
      tabIndex={isFirst ? 0 : -1}
      aria-label={`${name}, ${label}`}
      aria-orientation="vertical"
      aria-valuenow={Math.round(width)}
      aria-valuemin={narrowest}
      aria-valuemax={widest}
      aria-valuetext={`${Math.round(width)} px`}
      title={label}
      onKeyDown={press}
      onPointerDown={begin}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={end}
      onDoubleClick={fitContents}
    />
  )
}

const within = (width: number) => Math.round(Math.min(widest, Math.max(narrowest, width)))

function partsOf(grip: HTMLElement) {
  const th = grip.closest('th')
  const table = grip.closest('table')
  return { th, table, col: th && table?.querySelectorAll('col')[th.cellIndex] }
}

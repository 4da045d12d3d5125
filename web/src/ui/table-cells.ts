import { type CSSProperties, type ReactNode, useRef } from 'react'
import type { TableColumn } from './data-table'
import type { Placed } from './use-columns'

/** What a column is to a row: all but its width, so that rows stay as they are when only widths change. */
export interface Cell<T> {
  key: string
  /** Columns with another title are in another language, and so are their cells. */
  title: string
  render: (row: T) => ReactNode
  className: string
  style: CSSProperties | undefined
}

/** The cells of these columns, which stand `before` pixels from the edge. The same array for as long as nothing in it differs. */
export function useCells<T>(columns: readonly Placed<T>[], before: number): readonly Cell<T>[] {
  const last = useRef<readonly Cell<T>[]>([])
  const now = cellsOf(columns, before)
  const isSame = now.length === last.current.length && now.every((cell, at) => areSame(cell, last.current[at]))
  if (!isSame) last.current = now
  return last.current
}

function areSame<T>(a: Cell<T>, b: Cell<T> | undefined) {
  return (
    a.key === b?.key &&
    a.title === b.title &&
    a.render === b.render &&
    a.className === b.className &&
    a.style?.insetInlineStart === b.style?.insetInlineStart &&
    a.style?.insetInlineEnd === b.style?.insetInlineEnd
  )
}

/** The cells with the offset of each pinned column from its edge. */
function cellsOf<T>(columns: readonly Placed<T>[], before: number): Cell<T>[] {
  let start = before
  let end = columns.reduce((sum, { pin, width }) => (pin === 'end' ? sum + width : sum), 0)
  return columns.map((column) => {
    const { key, title, render, pin, width } = column
    if (pin === 'end') end -= width
    const style = pin === 'start' ? { insetInlineStart: start } : pin === 'end' ? { insetInlineEnd: end } : undefined
    if (pin === 'start') start += width
    return { key, title, render, className: classOf(column), style }
  })
}

const classOf = <T>({ align, pin }: TableColumn<T>) =>
  `${align === 'end' ? 'sky-end' : ''} ${pin ? `sky-pin sky-pin-${pin}` : ''}`.trim()

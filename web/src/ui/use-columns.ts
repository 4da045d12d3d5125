import { type RefObject, useLayoutEffect, useMemo, useRef } from 'react'
import type { Needed } from './content-widths'
import type { DataTableProps, TableColumn } from './data-table'
import { type Fitting, fitColumns, sameColumns, spreadColumns, squeezeColumns } from './fit-columns'
import { useContentWidths } from './use-content-widths'

/** Nobody reads a line this long in a table; free text stops earlier. */
const widest = 480
/** What is left of free text says little below this. */
const shortest = 72
/** Until rows were measured. */
const guess = 130

/** A column as it stands in the table. */
export type Placed<T> = TableColumn<T> & Pick<Fitting, 'width' | 'least' | 'whole'>

/** Which columns were shown, and what had been asked then. */
interface Before {
  columns: unknown
  pixels: number | undefined
  sorted: string | undefined
  keys: ReadonlySet<string>
}

type Asked<T> = Pick<DataTableProps<T>, 'columns' | 'rows' | 'waiting' | 'tooWide' | 'memory' | 'onLeftOut'>

/**
 * Which columns a table of so many pixels shows, and how wide. Each is as wide as its contents, within bounds; where
 * that is too much, `tooWide` decides. `sorted` stays in sight. What is not known yet is shown once, to be measured,
 * before anything is painted.
 */
export function useColumns<T>(
  { columns, rows, waiting, tooWide = 'squeeze', memory, onLeftOut }: Asked<T>,
  scroll: RefObject<HTMLElement | null>,
  pixels: number | undefined,
  sorted: string | undefined,
) {
  const { version, needOf, measure, needs } = useContentWidths(scroll, memory)
  // A list without rows has headings.
  const isThere = !waiting

  const isKnown = columns.every((column) => column.width !== undefined || needOf(column))
  const before = useRef<Before>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `version` stands for what `needOf` knows
  const placed = useMemo(() => {
    const sized = columns.map((column) => sizedTo(column, needOf(column)))
    if (!pixels || (isThere && !isKnown)) return sized
    if (tooWide === 'scroll') return spreadColumns(sized, pixels)
    if (tooWide === 'squeeze') return spreadColumns(squeezeColumns(sized, pixels), pixels)
    const { current } = before
    const isSameQuestion = current?.columns === columns && current.pixels === pixels && current.sorted === sorted
    const same = isSameQuestion ? sameColumns(sized, current.keys, pixels) : undefined
    return spreadColumns(same ?? fitColumns(sized, pixels, sorted), pixels)
  }, [columns, isThere, isKnown, pixels, sorted, tooWide, version])
  useLayoutEffect(() => {
    if (rows.length > 0 && isKnown)
      before.current = { columns, pixels, sorted, keys: new Set(placed.map(({ key }) => key)) }
  }, [columns, rows, isKnown, pixels, sorted, placed])

  const heard = useRef(onLeftOut)
  heard.current = onLeftOut
  const leftOut = columns.flatMap(({ key }) => (placed.some((column) => column.key === key) ? [] : [key])).join(' ')
  const told = useRef('')
  useLayoutEffect(() => {
    if (told.current === leftOut) return
    told.current = leftOut
    heard.current?.(leftOut === '' ? [] : leftOut.split(' '))
  }, [leftOut])

  return { placed, measure: isThere ? measure : undefined, needs, version }
}

/** As wide as its contents, where nobody gave it another width. */
function sizedTo<T>(column: TableColumn<T>, needed: Needed | undefined): Placed<T> {
  if (column.width !== undefined) return { ...column, width: column.width, exact: true }
  if (!needed) return { ...column, width: column.guess ?? guess }
  const width = Math.max(needed.head, Math.min(needed.all, column.most ?? widest))
  const least = column.most === undefined ? width : Math.min(width, Math.max(needed.head, shortest))
  return { ...column, width, least, whole: needed.all }
}

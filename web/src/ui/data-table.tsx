import { type CSSProperties, memo, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import { Bones } from './bones'
import { Checkbox } from './checkbox'
import { ColumnGrip } from './column-grip'
import { ArrowDownIcon, ArrowUpIcon } from './icons'
import { type Cell, useCells } from './table-cells'
import type { TableMemory } from './table-memory'
import { type Placed, useColumns } from './use-columns'
import { type RowRoom, useRowRoom } from './use-row-room'
import { useWidth } from './use-width'

// A table of our own instead of antd's: a page is at most 500 rows, so the browser's own <table> is quick
// enough, and antd's costs 43 KB brotli on the first load of every list.

export type SortOrder = 'asc' | 'desc'

export interface TableColumn<T> {
  key: string
  title: string
  render: (row: T) => ReactNode
  /** Pixels that somebody gave it. Without, it is as wide as its contents. */
  width?: number
  /** Pixels until its contents are known. */
  guess?: number
  /** Free text: at so many pixels it may end in dots, and has to tell the pointer the rest (`title`). */
  most?: number
  align?: 'start' | 'end'
  sortable?: boolean
  /** Stays in view when the table scrolls sideways. */
  pin?: 'start' | 'end'
  /** Takes nothing of the room that is left over. */
  exact?: boolean
  /** Where columns are left out to fit, the lowest goes first; 0 unless told. */
  importance?: number
  /** Somebody switched it on: it is never left out. */
  chosen?: boolean
  /** Not one of the usual columns: it takes no room from them. */
  spare?: boolean
}

/** What a column of free text is like: names and remarks may be of any length. Its cells tell the pointer the whole. */
export const freeText = { guess: 130, most: 240 }

export interface TableSelection<T> {
  selected: ReadonlySet<string>
  onChange: (selected: ReadonlySet<string>) => void
  /** What a screen reader says for the checkbox of a row. */
  rowLabel: (row: T) => string
  allLabel: string
}

export interface DataTableProps<T> {
  /** The accessible name of the table. */
  label: string
  columns: readonly TableColumn<T>[]
  rows: readonly T[]
  rowKey: (row: T) => string
  sort?: { key: string; order: SortOrder }
  onSort?: (key: string) => void
  selection?: TableSelection<T>
  /** The key of the row that is open elsewhere on the page; it is kept in sight. */
  current?: string | undefined
  /** The rows are those of the previous request; new ones are loading. */
  busy?: boolean
  /** The first rows are loading: grey bars stand where they will be. */
  waiting?: boolean
  /**
   * What happens where the columns are too wide together. `squeeze`: free text gives way, which is right where columns
   * cannot be chosen. `fold`: the least important are left out, as `onLeftOut` hears. `scroll`: all stand there, whole.
   */
  tooWide?: 'squeeze' | 'fold' | 'scroll'
  /** Hears the keys of the columns that have no room. */
  onLeftOut?: (keys: readonly string[]) => void
  /** There the widths are kept for the next visit, and for other tables of the same rows. */
  memory?: TableMemory
  /** Pixels of a row; 33 unless told. */
  rowHeight?: number
  /** Hears of a width that somebody dragged a column to. */
  onWidth?: (key: string, pixels: number) => void
  /** What the edge of a column is for. */
  widthLabel?: string
  /** Hears how much room there is for rows; of nothing where that cannot be measured. */
  onRoom?: (room: RowRoom | undefined) => void
  /** Shown when there are no rows. */
  empty: ReactNode
}

const boxWidth = 40
const usualRow = 33

/** A dense table: head and pinned columns stay in view, sorting and selection are the caller's. */
export function DataTable<T>(props: DataTableProps<T>) {
  const { rows, rowKey, selection, memory } = props
  const beside = memory?.before?.beside
  const guess = beside === undefined ? undefined : window.innerWidth - beside
  const [scroll, room] = useWidth<HTMLDivElement>(guess)
  useRowRoom(scroll, props.rowHeight ?? usualRow, props.onRoom)
  const isMeasured = room !== undefined
  const box = selection ? boxWidth : 0
  const { placed: columns, measure, needs, version } = useColumns(props, scroll, room && room - box, props.sort?.key)
  const cells = useCells(columns, box)
  const width = columns.reduce((sum, column) => sum + column.width, box)
  const toggle = useToggle(rows, rowKey, selection)
  const look = useRef(measure)
  look.current = measure
  // Other cells are other rows too: in another language each says something else.
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows are what is looked at
  useLayoutEffect(() => {
    if (isMeasured) look.current?.(cells, box ? 1 : 0)
  }, [rows, cells, isMeasured, measure === undefined])
  // biome-ignore lint/correctness/useExhaustiveDependencies: `version` stands for what `needs` knows
  useEffect(() => {
    if (memory && room && (version > 0 || room !== guess))
      memory.keep({ beside: window.innerWidth - room, columns: needs() })
  }, [memory, room, version])
  return (
    <section
      className="sky-table"
      aria-label={props.label}
      aria-busy={props.busy || props.waiting}
      data-busy={props.busy || undefined}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the only way to scroll sideways with the keyboard */}
      <div className="sky-table-scroll" tabIndex={0} ref={scroll}>
        <table style={sizes(width, props.rowHeight)} aria-label={props.label}>
          <colgroup>
            {selection && <col style={{ width: boxWidth }} />}
            {columns.map((column) => (
              <col key={column.key} style={{ width: column.width }} />
            ))}
          </colgroup>
          <thead>
            <tr>
              {selection && <SelectAll rows={rows} rowKey={rowKey} selection={selection} />}
              {columns.map((column, at) => (
                <HeadCell key={column.key} column={column} cell={cells[at]} isFirst={at === 0} {...props} />
              ))}
            </tr>
          </thead>
          <tbody>
            {props.waiting && <Bones cells={columns.length + (selection ? 1 : 0)} />}
            {/* Which columns fit is known before the first paint; rows made earlier would be made twice. */}
            {(isMeasured ? rows : []).map((row) => {
              const key = rowKey(row)
              return (
                <Row
                  key={key}
                  id={key}
                  row={row}
                  cells={cells}
                  toggle={selection && toggle}
                  checked={selection?.selected.has(key)}
                  isCurrent={key === props.current}
                  label={selection?.rowLabel(row)}
                />
              )
            })}
          </tbody>
        </table>
        {rows.length === 0 && !props.waiting && props.empty}
      </div>
    </section>
  )
}

const sizes = (width: number, row: number | undefined) =>
  ({ '--sky-width': `${width}px`, ...(row && { '--sky-row': `${row}px` }) }) as CSSProperties

interface HeadCellProps<T> extends DataTableProps<T> {
  column: Placed<T>
  cell: Cell<T> | undefined
  isFirst: boolean
}

function HeadCell<T>(props: HeadCellProps<T>) {
  const { column, cell, isFirst, sort, onSort, onWidth } = props
  const isMovable = onWidth !== undefined && column.pin !== 'end'
  const order = sort?.key === column.key ? sort.order : undefined
  const ariaSort = order === 'asc' ? 'ascending' : order === 'desc' ? 'descending' : undefined
  return (
    <th
      scope="col"
      className={cell?.className}
      style={cell?.style}
      aria-sort={ariaSort}
      title={column.title}
      // Its edge has a name too, and is no part of the heading's.
      aria-label={isMovable ? column.title : undefined}
    >
      {column.sortable && onSort ? (
        <button type="button" className="sky-sort" data-order={order} onClick={() => onSort(column.key)}>
          <span>{column.title}</span>
          {order === 'asc' ? <ArrowUpIcon aria-hidden /> : <ArrowDownIcon aria-hidden />}
        </button>
      ) : (
        <span>{column.title}</span>
      )}
      {isMovable && (
        <ColumnGrip
          name={column.title}
          label={props.widthLabel ?? ''}
          width={column.width}
          isFirst={isFirst}
          onWidth={(pixels) => onWidth(column.key, pixels)}
        />
      )}
    </th>
  )
}

function SelectAll<T>(props: { rows: readonly T[]; rowKey: (row: T) => string; selection: TableSelection<T> }) {
  const { selected, onChange, allLabel } = props.selection
  const keys = props.rows.map(props.rowKey)
  const count = keys.filter((key) => selected.has(key)).length
  const all = count > 0 && count === keys.length
  return (
    <th scope="col" className="sky-pin sky-pin-start sky-box" style={{ insetInlineStart: 0 }}>
      <Checkbox
        aria-label={allLabel}
        checked={all}
        indeterminate={count > 0 && !all}
        disabled={keys.length === 0}
        onChange={() => onChange(new Set(all ? [] : keys))}
      />
    </th>
  )
}

/** Toggles one row's checkbox; with Shift, all from the last toggled row to this one. */
function useToggle<T>(rows: readonly T[], rowKey: (row: T) => string, selection?: TableSelection<T>) {
  const last = useRef<string>(undefined)
  const now = useRef({ rows, rowKey, selection })
  now.current = { rows, rowKey, selection }
  return useMemo(
    () => (key: string, range: boolean) => {
      const { rows, rowKey, selection } = now.current
      if (!selection) return
      const keys = rows.map(rowKey)
      const from = range && last.current !== undefined ? keys.indexOf(last.current) : -1
      const to = keys.indexOf(key)
      const touched = from < 0 ? [key] : keys.slice(Math.min(from, to), Math.max(from, to) + 1)
      const on = !selection.selected.has(key)
      const next = new Set(selection.selected)
      for (const each of touched) on ? next.add(each) : next.delete(each)
      last.current = key
      selection.onChange(next)
    },
    [],
  )
}

interface RowProps<T> {
  id: string
  row: T
  cells: readonly Cell<T>[]
  toggle: ((key: string, range: boolean) => void) | undefined
  checked: boolean | undefined
  isCurrent: boolean
  label: string | undefined
}

const Row = memo(function Row<T>({ id, row, cells, toggle, checked, isCurrent, label }: RowProps<T>) {
  const line = useRef<HTMLTableRowElement>(null)
  // Where a table is scrolled to is the browser's.
  useEffect(() => {
    if (isCurrent) line.current?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' })
  }, [isCurrent])
  return (
    <tr
      ref={line}
      data-row={id}
      tabIndex={-1}
      data-checked={checked || undefined}
      aria-current={isCurrent || undefined}
    >
      {toggle && (
        <td className="sky-pin sky-pin-start sky-box" style={{ insetInlineStart: 0 }}>
          <Checkbox
            aria-label={label}
            checked={checked}
            onChange={(event) => toggle(id, event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey)}
          />
        </td>
      )}
      {cells.map((cell) => (
        <td key={cell.key} className={cell.className} style={cell.style}>
          {cell.render(row)}
        </td>
      ))}
    </tr>
  )
}) as <T>(props: RowProps<T>) => ReactNode

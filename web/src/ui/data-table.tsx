import { memo, type ReactNode, useMemo, useRef } from 'react'
import { Checkbox } from './checkbox'
import { ArrowDownIcon, ArrowUpIcon } from './icons'

// A table of our own instead of antd's: a page is at most 500 rows, so the browser's own <table> is quick
// enough, and antd's costs 43 KB brotli on the first load of every list.

export type SortOrder = 'asc' | 'desc'

export interface TableColumn<T> {
  key: string
  title: string
  render: (row: T) => ReactNode
  /** Pixels; the column never gets narrower, and wider only with the others. */
  width: number
  align?: 'start' | 'end'
  sortable?: boolean
  /** Stays in view when the table scrolls sideways. */
  pin?: 'start' | 'end'
}

export interface TableSelection<T> {
  selected: ReadonlySet<string>
  onChange: (selected: ReadonlySet<string>) => void
  /** What a screen reader says for the box of a row. */
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
  /** The rows are those of the last question; new ones are on their way. */
  busy?: boolean
  /** Stands in the place of rows when there are none. */
  empty: ReactNode
}

const boxWidth = 40

/** A dense table: head and pinned columns stay in view, sorting and selection are the caller's. */
export function DataTable<T>(props: DataTableProps<T>) {
  const { columns, rows, rowKey, selection } = props
  const pins = useMemo(() => pinOffsets(columns, selection ? boxWidth : 0), [columns, selection])
  const width = columns.reduce((sum, column) => sum + column.width, selection ? boxWidth : 0)
  const toggle = useToggle(rows, rowKey, selection)
  return (
    <section className="sky-table" aria-label={props.label} aria-busy={props.busy} data-busy={props.busy || undefined}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the only way to scroll sideways with the keyboard */}
      <div className="sky-table-scroll" tabIndex={0}>
        <table style={{ minWidth: width }} aria-label={props.label}>
          <colgroup>
            {selection && <col style={{ width: boxWidth }} />}
            {columns.map((column) => (
              <col key={column.key} style={{ width: column.width }} />
            ))}
          </colgroup>
          <thead>
            <tr>
              {selection && <SelectAll rows={rows} rowKey={rowKey} selection={selection} />}
              {columns.map((column) => (
                <HeadCell key={column.key} column={column} pin={pins.get(column.key)} {...props} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => {
              const key = rowKey(row)
              return (
                <Row
                  key={key}
                  id={key}
                  row={row}
                  columns={columns}
                  pins={pins}
                  toggle={selection && toggle}
                  checked={selection?.selected.has(key)}
                  label={selection?.rowLabel(row)}
                />
              )
            })}
          </tbody>
        </table>
        {rows.length === 0 && props.empty}
      </div>
    </section>
  )
}

type Pins = ReadonlyMap<string, PinStyle>
interface PinStyle {
  insetInlineStart?: number
  insetInlineEnd?: number
}

/** How far from its edge each pinned column stands. */
function pinOffsets<T>(columns: readonly TableColumn<T>[], before: number): Pins {
  const pins = new Map<string, PinStyle>()
  let start = before
  for (const column of columns) {
    if (column.pin !== 'start') continue
    pins.set(column.key, { insetInlineStart: start })
    start += column.width
  }
  let end = 0
  for (const column of columns.toReversed()) {
    if (column.pin !== 'end') continue
    pins.set(column.key, { insetInlineEnd: end })
    end += column.width
  }
  return pins
}

function cellClass<T>(column: TableColumn<T>) {
  return `${column.align === 'end' ? 'sky-end' : ''} ${column.pin ? `sky-pin sky-pin-${column.pin}` : ''}`.trim()
}

function HeadCell<T>(props: DataTableProps<T> & { column: TableColumn<T>; pin: PinStyle | undefined }) {
  const { column, sort, onSort } = props
  const order = sort?.key === column.key ? sort.order : undefined
  const ariaSort = order === 'asc' ? 'ascending' : order === 'desc' ? 'descending' : undefined
  return (
    <th scope="col" className={cellClass(column)} style={props.pin} aria-sort={ariaSort} title={column.title}>
      {column.sortable && onSort ? (
        <button type="button" className="sky-sort" data-order={order} onClick={() => onSort(column.key)}>
          <span>{column.title}</span>
          {order === 'asc' ? <ArrowUpIcon aria-hidden /> : <ArrowDownIcon aria-hidden />}
        </button>
      ) : (
        column.title
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

/** Turns one row's box; with Shift, all from the last turned row to this one. */
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
  columns: readonly TableColumn<T>[]
  pins: Pins
  toggle: ((key: string, range: boolean) => void) | undefined
  checked: boolean | undefined
  label: string | undefined
}

const Row = memo(function Row<T>({ id, row, columns, pins, toggle, checked, label }: RowProps<T>) {
  return (
    <tr data-row={id} data-checked={checked || undefined}>
      {toggle && (
        <td className="sky-pin sky-pin-start sky-box" style={{ insetInlineStart: 0 }}>
          <Checkbox
            aria-label={label}
            checked={checked}
            onChange={(event) => toggle(id, event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey)}
          />
        </td>
      )}
      {columns.map((column) => (
        <td key={column.key} className={cellClass(column)} style={pins.get(column.key)}>
          {column.render(row)}
        </td>
      ))}
    </tr>
  )
}) as <T>(props: RowProps<T>) => ReactNode

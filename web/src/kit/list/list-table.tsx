import { useMemo, useRef } from 'react'
import { useCan } from '@/access/permissions'
import type { OperationId } from '@/api/call'
import type { Code } from '@/api/codes'
import { type Messages, type Pair, useMessages } from '@/i18n/messages'
import { grouped } from '@/rules/format'
import { DataTable, type DataTableProps, type TableColumn } from '@/ui/data-table'
import { Pagination } from '@/ui/pagination'
import type { Action } from '../action'
import { RowActions } from '../action-buttons'
import { kitMessages } from '../messages'
import type { ActionRunner } from '../use-actions'
import type { Widths } from './column-choice'
import type { Column } from './columns'
import { DensityChoice, useDensity } from './density'
import { ExportButton } from './export-button'
import type { ListTexts } from './list-page'
import { NoRows, type Start } from './no-rows'
import { PageSizeChoice } from './page-size'
import type { SelectionState } from './selection'
import { useTableMemory } from './table-memory'
import type { List, Row } from './use-list'

/** A list says what it is called, unless it is the list of a screen. */
type Named = { label: string; messages: Messages<ListTexts> } | { label?: never; messages: Messages<OwnTexts> }
type OwnTexts = ListTexts & { readonly title: Pair }

type ListTableProps<T extends Row> = Named & {
  list: List<T>
  columns: readonly Column<T>[]
  nameOf?: (row: T) => string
  runner?: ActionRunner
  rowActions?: (row: T) => readonly Action[]
  /** Acts on the list as a whole: some may make the first rows of an empty one. */
  pageActions?: readonly Action[]
  /** What an empty list offers besides. */
  start?: Start
  selection?: SelectionState
  /** The row whose detail is open beside the list. */
  current?: string | undefined
  /** The widths that somebody gave to columns. */
  widths?: Widths
  onWidth?: (key: string, pixels: number) => void
  /** What happens where the columns are too wide together; free text gives way unless told. */
  tooWide?: DataTableProps<T>['tooWide']
  /** Hears which columns have no room. */
  onLeftOut?: (keys: readonly string[]) => void
  /** How many there are is told above the table. */
  resultAbove?: boolean
  /** The call that exports it where no page does, and the code it needs; it is asked what the list is asked, unless told. */
  exports?: { operation: OperationId; need: Code; filter?: Record<string, unknown> }
}

const actsKey = 'kit-acts'

/** The rows, the pages below them, and what stands there instead while there are none. Fits drawers as well. */
export function ListTable<T extends Row>(props: ListTableProps<T>) {
  const m = useMessages(kitMessages)
  const { title, fields } = useMessages(props.messages as Messages<OwnTexts>)
  const { list, columns, runner, rowActions, selection, nameOf = (row: T) => String(row.id), widths, onWidth } = props
  const { exports } = props
  const can = useCan()
  const density = useDensity(list)
  const memory = useTableMemory(list.operation, list.fit !== undefined)
  // Rows are drawn again only when their columns change; acts read the newest closure through here.
  const acts = useRef({ rowActions, runner, nameOf })
  acts.current = { rowActions, runner, nameOf }
  const hasActs = Boolean(rowActions && runner)
  // biome-ignore lint/correctness/useExhaustiveDependencies: not the widths: rows stay as they are when those change
  const renderActs = useMemo(
    () => (row: T) => {
      const { rowActions, runner, nameOf } = acts.current
      return rowActions && runner && <RowActions acts={rowActions(row)} name={nameOf(row)} runner={runner} />
    },
    [columns, fields, hasActs, list.sorts, m],
  )

  const shown = useMemo<TableColumn<T>[]>(() => {
    const labels = fields as Readonly<Record<string, string>>
    const own = columns.map((column) => ({
      ...column,
      title: labels[column.key] ?? column.key,
      sortable: list.sorts.includes(column.key),
      ...(widths?.[column.key] && { width: widths[column.key] as number }),
    }))
    const last: TableColumn<T> = {
      key: actsKey,
      title: m.acts,
      guess: 120,
      exact: true,
      pin: 'end',
      render: renderActs,
    }
    return hasActs ? [...own, last] : own
  }, [columns, fields, list.sorts, hasActs, widths, m, renderActs])

  return (
    <>
      {exports && can(exports.need) && (
        <div className="kit-tools">
          <ExportButton operation={exports.operation} filter={exports.filter ?? list.request} />
        </div>
      )}
      <div className="kit-table">
        <DataTable
          label={props.label ?? title}
          columns={shown}
          rows={list.rows}
          rowKey={rowKey}
          memory={memory}
          onSort={list.toggleSort}
          busy={list.isFetching && !list.isLoading}
          waiting={list.isLoading}
          {...(props.tooWide && { tooWide: props.tooWide })}
          {...(props.onLeftOut && { onLeftOut: props.onLeftOut })}
          rowHeight={density.rowHeight}
          current={props.current}
          empty={
            <NoRows
              messages={props.messages}
              list={list as List}
              acts={props.pageActions ?? []}
              runner={runner}
              start={props.start}
            />
          }
          {...(list.fit && { onRoom: list.fit.measured })}
          {...(onWidth && { onWidth, widthLabel: m.dragWidth })}
          {...(list.sort && { sort: list.sort })}
          {...(selection && {
            selection: {
              selected: selection.ids,
              onChange: selection.setIds,
              rowLabel: (row: T) => m.select(nameOf(row)),
              allLabel: m.selectAll,
            },
          })}
        />
        {(list.fit || list.total > 0) && <Foot list={list as List} density={density} total={!props.resultAbove} />}
      </div>
    </>
  )
}

/** Row height and pages. A list that fits the window has it from the start: its height is part of what fits. */
function Foot({ list, density, total }: { list: List; density: ReturnType<typeof useDensity>; total: boolean }) {
  const m = useMessages(kitMessages)
  const { page, pageSize } = list
  return (
    <div className="kit-foot">
      <DensityChoice choice={density} />
      {list.isWhole
        ? total && <span className="kit-pages sky-soft">{m.total(grouped(list.total))}</span>
        : list.total > 0 && (
            <>
              <Pagination
                className="kit-pages"
                size="small"
                current={page}
                pageSize={pageSize}
                total={list.total}
                showSizeChanger={false}
                showQuickJumper={list.total > pageSize * 10}
                {...(total && { showTotal: () => m.total(grouped(list.total)) })}
                onChange={list.setPage}
              />
              <PageSizeChoice list={list} />
            </>
          )}
    </div>
  )
}

const rowKey = (row: Row) => String(row.id)

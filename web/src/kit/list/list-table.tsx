import { useMemo, useRef } from 'react'
import { type Messages, useMessages } from '@/i18n/messages'
import { grouped } from '@/rules/format'
import { Button } from '@/ui/button'
import { DataTable, type TableColumn } from '@/ui/data-table'
import { Pagination } from '@/ui/pagination'
import { Placeholder } from '@/ui/placeholder'
import { Spinner } from '@/ui/spinner'
import type { Action } from '../action'
import { RowActions } from '../action-buttons'
import { LoadFailed } from '../loaded'
import { kitMessages } from '../messages'
import type { ActionRunner } from '../use-actions'
import type { Column } from './columns'
import { pageSizes } from './filter'
import type { ListTexts } from './list-page'
import type { SelectionState } from './selection'
import type { List, Row } from './use-list'

interface ListTableProps<T extends Row> {
  messages: Messages<ListTexts>
  list: List<T>
  columns: readonly Column<T>[]
  nameOf?: (row: T) => string
  runner?: ActionRunner
  rowActions?: (row: T) => readonly Action[]
  selection?: SelectionState
  /** Pixels for the acts of a row. */
  actionsWidth?: number
}

const actsKey = 'kit-acts'

/** The rows, the pages below them, and what stands there instead while there are none. Fits drawers as well. */
export function ListTable<T extends Row>(props: ListTableProps<T>) {
  const m = useMessages(kitMessages)
  const { title, fields } = useMessages(props.messages)
  const {
    list,
    columns,
    runner,
    rowActions,
    selection,
    nameOf = (row: T) => String(row.id),
    actionsWidth = 150,
  } = props
  // Rows are drawn again only when their columns change; acts read the newest closure through here.
  const acts = useRef({ rowActions, runner, nameOf })
  acts.current = { rowActions, runner, nameOf }
  const hasActs = Boolean(rowActions && runner)

  const shown = useMemo<TableColumn<T>[]>(() => {
    const labels = fields as Readonly<Record<string, string>>
    const own = columns.map((column) => ({
      ...column,
      title: labels[column.key] ?? column.key,
      sortable: list.sorts.includes(column.key),
    }))
    const last: TableColumn<T> = {
      key: actsKey,
      title: m.acts,
      width: actionsWidth,
      pin: 'end',
      render: (row) => {
        const { rowActions, runner, nameOf } = acts.current
        return rowActions && runner && <RowActions acts={rowActions(row)} name={nameOf(row)} runner={runner} />
      },
    }
    return hasActs ? [...own, last] : own
  }, [columns, fields, list.sorts, hasActs, actionsWidth, m])

  return (
    <div className="kit-table">
      <DataTable
        label={title}
        columns={shown}
        rows={list.rows}
        rowKey={rowKey}
        onSort={list.toggleSort}
        busy={list.isFetching && !list.isLoading}
        empty={<NoRows messages={props.messages} list={list as List} />}
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
      {list.total > 0 && list.isWhole && <div className="kit-pages sky-soft">{m.total(grouped(list.total))}</div>}
      {list.total > 0 && !list.isWhole && (
        <Pagination
          className="kit-pages"
          size="small"
          current={list.page}
          pageSize={list.pageSize}
          total={list.total}
          pageSizeOptions={[...pageSizes]}
          showSizeChanger
          showQuickJumper={list.total > list.pageSize * 10}
          showTotal={() => m.total(grouped(list.total))}
          onChange={list.setPage}
        />
      )}
    </div>
  )
}

const rowKey = (row: Row) => String(row.id)

/** Loading, failed, nothing matches, past the end, or nothing there yet: each says what to do next. */
function NoRows({ messages, list }: { messages: Messages<ListTexts>; list: List }) {
  const m = useMessages(kitMessages)
  const { empty, emptyHint } = useMessages(messages)
  if (list.isLoading) return <Spinner label={m.loading} />
  if (list.error) return <LoadFailed error={list.error} onRetry={list.reload} />
  if (list.total > 0) {
    const toFirst = () => list.setPage(1, list.pageSize)
    return <Placeholder title={m.pastEnd} action={<Button onClick={toFirst}>{m.firstPage}</Button>} />
  }
  if (list.isFiltered) {
    const clear = <Button onClick={list.clearFilter}>{m.clearFilters}</Button>
    return <Placeholder title={m.noMatch} hint={m.noMatchHint} action={clear} />
  }
  return <Placeholder title={empty} hint={emptyHint} />
}

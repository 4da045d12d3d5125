import type { ReactNode } from 'react'
import { useCan } from '@/access/permissions'
import type { OperationId } from '@/api/call'
import { type Messages, type Pair, useMessages } from '@/i18n/messages'
import { Button } from '@/ui/button'
import { ReloadIcon } from '@/ui/icons'
import { Tooltip } from '@/ui/tooltip'
import type { Action } from '../action'
import { ActionButtons } from '../action-buttons'
import { type FieldTexts, Labels } from '../labels'
import { kitMessages } from '../messages'
import { useActions } from '../use-actions'
import { ColumnButton, useColumnChoice } from './column-choice'
import type { Column } from './columns'
import { useDetail } from './detail-link'
import { ExportButton } from './export-button'
import { ListProvider } from './filters'
import { ListTable } from './list-table'
import { type Picked, SelectionBar, useSelection } from './selection'
import type { List, Row } from './use-list'

/** The texts that every list has. */
export type ListTexts = FieldTexts & {
  readonly title: Pair
  /** What stands where rows would be when there are none at all, and what to do next. */
  readonly empty: Pair
  readonly emptyHint: Pair
}

/** What a list page is made of. Only texts, list and columns are needed. */
export interface ListPageProps<T extends Row> {
  messages: Messages<ListTexts>
  list: List<T>
  columns: readonly Column<T>[]
  filters?: ReactNode
  /** How a row is called in questions and by screen readers. */
  nameOf?: (row: T) => string
  /** Acts on the page as a whole: create, import. */
  pageActions?: readonly Action[]
  rowActions?: (row: T) => readonly Action[]
  /** Pixels for the acts of a row; must hold the English labels. */
  actionsWidth?: number
  bulkActions?: (picked: Picked) => readonly Action[]
  /** The call that exports what the filter matches, and the code it needs. */
  exports?: { operation: OperationId; need: string }
  /** The drawer of one row; open while the address says so. */
  detail?: (id: string, close: () => void) => ReactNode
  /** Stands above the table: a summary, a remark. */
  children?: ReactNode
}

/** The shell of every list: filters, acts, table, selection, pages, and what to say when there is nothing. */
export function ListPage<T extends Row>(props: ListPageProps<T>) {
  const m = useMessages(kitMessages)
  const { title, fields } = useMessages(props.messages)
  const labels = fields as Readonly<Record<string, string>>
  const { list, rowActions, bulkActions, exports, nameOf = (row: T) => String(row.id) } = props
  const can = useCan()
  const selection = useSelection(list as List)
  const runner = useActions(selection.clear)
  const choice = useColumnChoice(list.operation, props.columns)
  const detail = useDetail()
  const { picked } = selection

  return (
    <Labels messages={props.messages}>
      <ListProvider value={list as List}>
        <section className="kit-page" aria-label={title}>
          <div className="kit-bar">
            <search className="kit-filters" aria-label={title}>
              {props.filters}
              {list.isFiltered && (
                <button type="button" className="sky-link" onClick={list.clearFilter}>
                  {m.clearFilters}
                </button>
              )}
            </search>
            <div className="kit-tools">
              <ActionButtons acts={props.pageActions ?? []} runner={runner} primary />
              {exports && can(exports.need) && <ExportButton operation={exports.operation} filter={list.request} />}
              <ColumnButton columns={props.columns} labels={labels} choice={choice} />
              <Tooltip title={m.refresh}>
                <Button aria-label={m.refresh} icon={<ReloadIcon spin={list.isFetching} />} onClick={list.reload} />
              </Tooltip>
            </div>
          </div>
          {props.children}
          {picked && bulkActions && (
            <SelectionBar
              list={list}
              state={selection}
              picked={picked}
              acts={bulkActions(picked)}
              nameOf={nameOf}
              runner={runner}
            />
          )}
          <ListTable
            messages={props.messages}
            list={list}
            columns={choice.shown}
            nameOf={nameOf}
            runner={runner}
            {...(rowActions && { rowActions })}
            {...(props.actionsWidth && { actionsWidth: props.actionsWidth })}
            {...(bulkActions && { selection })}
          />
        </section>
        {runner.host}
        {detail.id !== undefined && props.detail?.(detail.id, detail.close)}
      </ListProvider>
    </Labels>
  )
}

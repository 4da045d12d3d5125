import type { ReactNode } from 'react'
import { useCan } from '@/access/permissions'
import { useScreenTitle } from '@/access/titles'
import type { OperationId } from '@/api/call'
import type { Code } from '@/api/codes'
import { useLanguage } from '@/i18n/language'
import { inLanguage, type Messages, type Pair, useMessages } from '@/i18n/messages'
import { Button } from '@/ui/button'
import { ReloadIcon } from '@/ui/icons'
import { Tooltip } from '@/ui/tooltip'
import { useMedia } from '@/ui/use-media'
import type { Action } from '../action'
import { ActionButtons } from '../action-buttons'
import { BesideList } from '../detail/detail-place'
import { type FieldTexts, Labels } from '../labels'
import { kitMessages } from '../messages'
import { useActions } from '../use-actions'
import { ColumnButton, useColumnChoice } from './column-choice'
import type { Column } from './columns'
import { CopyLink } from './copy-link'
import { DetailPath, useDetail } from './detail-link'
import { ExportButton } from './export-button'
import { FilterBar, FilterChips } from './filter-bar'
import { ListProvider } from './filters'
import { useLeading } from './leading'
import { ListTable } from './list-table'
import type { Start } from './no-rows'
import type { ReadyView } from './ready-views'
import { ResultLine } from './result-line'
import { type Picked, SelectionBar, useSelection } from './selection'
import { useFilterRow } from './use-filter-row'
import type { List, Row } from './use-list'
import { useListKeys } from './use-list-keys'
import { useWalk } from './use-walk'
import { ViewBar } from './view-bar'
import { ViewCount } from './view-count'
import type { View } from './views'

/** The texts that every list has. */
export type ListTexts = FieldTexts & {
  /** What it is called where it is a part of a screen. The list of a screen is called like the screen. */
  readonly title?: Pair
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
  bulkActions?: (picked: Picked) => readonly Action[]
  /** Saved views say how many rows they have: for lists whose server counts quickly. */
  countsViews?: boolean
  /** Views that everybody has, with how many rows each shows; `all` is how many there are. */
  views?: readonly ReadyView[]
  all?: number | undefined
  /** The call that exports what the filter matches, and the code it needs. */
  exports?: { operation: OperationId; need: Code }
  /** The drawer of one row; open while the address says so. */
  detail?: (id: string, close: () => void) => ReactNode
  /** The detail stands beside the list where the window has room for both; elsewhere it lies over it. */
  isDetailBeside?: boolean
  /** Where a row's detail is, if it is a page of its own. */
  detailPath?: (id: string | number) => string
  /** Where an empty list leads, if its first rows come from another page. */
  start?: Start
  /** Stands in the line of the result: a remark on the rows that may come and go. */
  remark?: ReactNode
  /** Stands above the table. Its height is part of what fits the window: it is there from the start, or it is nothing. */
  children?: ReactNode
}

function useListTitle({ tree }: Messages<ListTexts>): string {
  const ofScreen = useScreenTitle()
  const language = useLanguage()
  return tree.title ? inLanguage(tree.title, language) : ofScreen
}

/** As in `kit.css`. */
const roomForBoth = '(min-width: 1360px)'

/** The shell of every list: filters, acts, table, selection, pages, and what to say when there is nothing. */
export function ListPage<T extends Row>(props: ListPageProps<T>) {
  const m = useMessages(kitMessages)
  const { fields } = useMessages(props.messages)
  const title = useListTitle(props.messages)
  const labels = fields as Readonly<Record<string, string>>
  const { list, rowActions, bulkActions, exports, nameOf = (row: T) => String(row.id) } = props
  const can = useCan()
  const selection = useSelection(list as List)
  const runner = useActions(selection.clear)
  const choice = useColumnChoice(list as List, props.columns)
  const detail = useDetail()
  const hasRoom = useMedia(roomForBoth)
  const isBeside = props.isDetailBeside === true && hasRoom && detail.id !== undefined && props.detail !== undefined
  const walk = useWalk(list, detail)
  const opens = props.detail !== undefined || props.detailPath !== undefined
  const columns = useLeading(choice.wanted, opens, isBeside)
  // Escape gives up the selection first; only without one the detail is closed.
  const isClosing = isBeside && !selection.picked
  const keys = useListKeys(isClosing ? close : selection.clear, isBeside ? walk : undefined)
  const filters = useFilterRow(props.filters)
  const { picked } = selection
  const { look } = list
  const countOf =
    props.countsViews && look
      ? (view: View) => <ViewCount operation={list.operation} filter={look.filterOf(view)} />
      : undefined
  function close() {
    // The focus goes back to the row, which is where the detail came from.
    keys.current?.querySelector<HTMLElement>('tr[aria-current] td a')?.focus()
    detail.close()
  }

  return (
    <Labels messages={props.messages}>
      <ListProvider value={list as List}>
        <DetailPath value={props.detailPath}>
          <section className="kit-page" aria-label={title} ref={keys} data-beside={isBeside || undefined}>
            <div className="kit-head">
              {list.look && (
                <ViewBar
                  operation={list.operation}
                  look={list.look}
                  runner={runner}
                  all={props.all}
                  ready={props.views ?? []}
                  {...(countOf && { countOf })}
                />
              )}
              <div className="kit-tools">
                <ActionButtons acts={props.pageActions ?? []} runner={runner} primary />
                {exports && can(exports.need) && <ExportButton operation={exports.operation} filter={list.request} />}
              </div>
            </div>
            <div className="kit-bar">
              <FilterBar label={title} row={filters} />
              <div className="kit-tools">
                <ColumnButton columns={props.columns} labels={labels} choice={choice} />
                {list.look && <CopyLink list={list as List} look={list.look} />}
                <Tooltip title={m.refresh}>
                  <Button aria-label={m.refresh} icon={<ReloadIcon spin={list.isFetching} />} onClick={list.reload} />
                </Tooltip>
              </div>
            </div>
            {props.children}
            {picked && bulkActions ? (
              <SelectionBar
                list={list}
                state={selection}
                picked={picked}
                acts={bulkActions(picked)}
                nameOf={nameOf}
                runner={runner}
              />
            ) : (
              <ResultLine
                list={list as List}
                labels={labels}
                chips={<FilterChips row={filters} />}
                remark={props.remark}
              />
            )}
            <ListTable
              resultAbove
              tooWide={choice.fits || isBeside ? 'fold' : 'scroll'}
              onLeftOut={choice.setLeftOut}
              label={title}
              messages={props.messages}
              list={list}
              columns={columns}
              // Beside a detail there is room for the main columns as they are; the acts are in the detail.
              {...(isBeside
                ? { current: detail.id }
                : { widths: choice.widths, onWidth: choice.setWidth, ...(rowActions && { rowActions }) })}
              nameOf={nameOf}
              runner={runner}
              {...(props.pageActions && { pageActions: props.pageActions })}
              {...(props.start && { start: props.start })}
              {...(bulkActions && { selection })}
            />
          </section>
          {runner.host}
          <BesideList value={isBeside ? walk : undefined}>
            {detail.id !== undefined && props.detail?.(detail.id, close)}
          </BesideList>
        </DetailPath>
      </ListProvider>
    </Labels>
  )
}

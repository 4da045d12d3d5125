import { useEffect, useMemo, useState } from 'react'
import { usePreference } from '@/access/preferences'
import type { CallParts, OperationId, RowOf } from '@/api/call'
import { operations } from '@/api/operations'
import { type QuerySettings, useApiQuery } from '@/api/query'
import type { RowRoom } from '@/ui/use-row-room'
import { defaultPageSize, type FilterValues, type ListFilter, type ListState, readState, writeState } from './filter'
import { useRowFit } from './fit'
import { habitOf, keepHabit, loadHabits } from './habit'
import { rowHeights } from './look'
import { partsOf, questionOf } from './question'
import { type ListLook, openingQuery, useLook } from './use-look'

/** Calls that answer a page of rows. */
export type ListOperation = { [K in OperationId]: [RowOf<K>] extends [never] ? never : K }[OperationId]

/** A row has an id: a number, or a text where numbers would be too large. */
export interface Row {
  id: string | number
}

type AnyFilter = ListFilter['params']

/** A list on screen: its rows, its position, and how to move. */
export interface List<T = unknown, P extends AnyFilter = AnyFilter> extends ListState<P> {
  operation: ListOperation
  rows: readonly T[]
  total: number
  /** All rows are here: there are no pages. */
  isWhole?: boolean
  /** The first answer is still loading. */
  isLoading: boolean
  /** Another answer is loading; the old rows are still shown. */
  isFetching: boolean
  error: Error | null
  /** When the rows came, in milliseconds; 0 before they did. */
  updatedAt?: number
  sorts: readonly string[]
  isFiltered: boolean
  /** What the server is asked for, without page: for exports and for "everything that the filter matches". */
  request: Record<string, unknown>
  setFilter: (change: FilterValues) => void
  clearFilter: () => void
  setPage: (page: number) => void
  toggleSort: (key: string) => void
  /** Chooses how many rows a page has; without a number, what is usual. */
  setSize?: (size: number | undefined) => void
  /** Columns, row height and views, where the address has them. */
  look?: ListLook
  /** A page has as many rows as fit the window. */
  isFitted?: boolean
  /** How many rows fit the window, where the list has one for itself. */
  fit?: { rows: number | undefined; measured: (room: RowRoom | undefined) => void }
  reload: () => void
}

/** A list whose state lives in the address: a link reproduces the view. */
export function useList<K extends ListOperation, P extends AnyFilter>(
  operation: K,
  filter: ListFilter<P>,
): List<RowOf<K>, P> {
  const [search, setSearch, look] = useLook(operation, filter)
  // None is as many as fit the window.
  const [usualSize, setUsualSize] = usePreference<number | undefined>(`${operation}.rows`, undefined)
  const change = (next: ListState<P>) =>
    setSearch((now) => writeState(filter, next, now), { replace: true, preventScrollReset: true })
  const [moved, setMoved] = useState<{ from: number; to: number }>()
  const [known] = useState(() => habitOf(loadHabits(), operation).room)
  const fit = useRowFit(known && { ...known, row: rowHeights[look.density] }, (before, now) => {
    // The first row in sight stays where it was. The address follows a moment later; that is no question of its own.
    const to = Math.floor(((state.page - 1) * before) / now) + 1
    if (!isFitted || to === state.page) return
    setMoved({ from: state.page, to })
    change({ ...state, page: to })
  })
  const usual = usualSize ?? fit.rows ?? defaultPageSize
  const written = useMemo(() => readState(filter, search, usual), [filter, search, usual])
  if (moved && written.page !== moved.from) setMoved(undefined)
  const state = moved && written.page === moved.from ? { ...written, page: moved.to } : written
  const isFitted = state.chosenSize === undefined && usualSize === undefined
  const settings = { enabled: !isFitted || fit.rows !== undefined }
  // The next visit begins with the same question, before its page is there to say so.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the address changes, the view to open with may have
  useEffect(
    () => keepHabit(operation, { room: fit.room, size: usualSize, opening: openingQuery(operation, filter) }),
    [operation, filter, fit.room, usualSize, search],
  )
  const setSize = (size: number | undefined) => {
    setUsualSize(size)
    change({ ...state, chosenSize: size, page: 1 })
  }
  return { ...useListAt(operation, filter, state, change, {}, settings), setSize, look, fit, isFitted }
}

/** A list inside a drawer or tab: its state is its own, and `fixed` always goes with the question. */
export function useInnerList<K extends ListOperation, P extends AnyFilter>(
  operation: K,
  filter: ListFilter<P>,
  fixed: Record<string, unknown>,
): List<RowOf<K>, P> {
  const [state, setState] = useState(() => readState(filter, new URLSearchParams()))
  const setSize = (size: number | undefined) =>
    setState({ ...state, chosenSize: size, pageSize: size ?? defaultPageSize, page: 1 })
  return { ...useListAt(operation, filter, state, setState, fixed), setSize }
}

function useListAt<K extends ListOperation, P extends AnyFilter>(
  operation: K,
  filter: ListFilter<P>,
  state: ListState<P>,
  change: (next: ListState<P>) => void,
  fixed: Record<string, unknown> = {},
  settings: Pick<QuerySettings, 'enabled'> = {},
): List<RowOf<K>, P> {
  const { pageNum: _page, pageSize: _size, ...request } = questionOf(state, fixed)
  const parts = partsOf(operations[operation], questionOf(state, fixed))
  const query = useApiQuery<ListOperation>(operation, parts as unknown as CallParts<ListOperation>, {
    keepPrevious: true,
    ...settings,
  })
  const isWaiting = settings.enabled === false
  const page = query.data as { list: RowOf<K>[]; total: number } | undefined
  return {
    ...state,
    operation,
    rows: page?.list ?? [],
    total: page?.total ?? 0,
    isLoading: query.isPending,
    // Before the first question it is on its way as well: it waits for the room of the rows.
    isFetching: query.isFetching || isWaiting,
    error: query.error,
    updatedAt: query.dataUpdatedAt,
    sorts: filter.sorts,
    isFiltered: Object.keys(state.filter).length > 0,
    request,
    setFilter: (values) => change({ ...state, filter: given({ ...state.filter, ...values }), page: 1 }),
    clearFilter: () => change({ ...state, filter: {}, page: 1 }),
    setPage: (next) => change({ ...state, page: next }),
    toggleSort: (key) => change({ ...state, sort: nextSort(state.sort, key), page: 1 }),
    reload: () => {
      if (!isWaiting) void query.refetch()
    },
  }
}

const given = <T extends object>(values: T): T =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== '')) as T

/** Up, down, back to the usual order. */
function nextSort(sort: ListState['sort'], key: string): ListState['sort'] {
  if (sort?.key !== key) return { key, order: 'asc' }
  return sort.order === 'asc' ? { key, order: 'desc' } : undefined
}

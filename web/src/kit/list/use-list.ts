import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { usePreference } from '@/access/preferences'
import type { CallParts, OperationId, RowOf } from '@/api/call'
import { operations } from '@/api/operations'
import { useApiQuery } from '@/api/query'
import { defaultPageSize, type FilterValues, type ListFilter, type ListState, readState, writeState } from './filter'

/** Calls that answer a page of rows. */
export type ListOperation = { [K in OperationId]: [RowOf<K>] extends [never] ? never : K }[OperationId]

/** A row has an id: a number, or a text where numbers would be too large. */
export interface Row {
  id: string | number
}

type AnyFilter = ListFilter['params']

/** A list on screen: its rows, where it stands, and how to move. */
export interface List<T = unknown, P extends AnyFilter = AnyFilter> extends ListState<P> {
  operation: ListOperation
  rows: readonly T[]
  total: number
  /** All rows are here: there are no pages. */
  isWhole?: boolean
  /** The first answer is still on its way. */
  isLoading: boolean
  /** Another answer is on its way; the old rows are still shown. */
  isFetching: boolean
  error: Error | null
  sorts: readonly string[]
  isFiltered: boolean
  /** What the server is asked for, without page: for exports and for "everything that the filter matches". */
  request: Record<string, unknown>
  setFilter: (change: FilterValues) => void
  clearFilter: () => void
  setPage: (page: number, pageSize: number) => void
  toggleSort: (key: string) => void
  reload: () => void
}

/** A list whose state lives in the address: a link reproduces the view. */
export function useList<K extends ListOperation, P extends AnyFilter>(
  operation: K,
  filter: ListFilter<P>,
): List<RowOf<K>, P> {
  const [search, setSearch] = useSearchParams()
  const [usualSize, setUsualSize] = usePreference<number>(`${operation}.pageSize`, defaultPageSize)
  const state = useMemo(() => readState(filter, search, usualSize), [filter, search, usualSize])
  const change = (next: ListState<P>) => {
    setUsualSize(next.pageSize)
    setSearch((now) => writeState(filter, next, now), { replace: true, preventScrollReset: true })
  }
  return useListAt(operation, filter, state, change)
}

/** A list inside a drawer or tab: its state is its own, and `fixed` always goes with the question. */
export function useInnerList<K extends ListOperation, P extends AnyFilter>(
  operation: K,
  filter: ListFilter<P>,
  fixed: Record<string, unknown>,
): List<RowOf<K>, P> {
  const [state, setState] = useState(() => readState(filter, new URLSearchParams()))
  return useListAt(operation, filter, state, setState, fixed)
}

function useListAt<K extends ListOperation, P extends AnyFilter>(
  operation: K,
  filter: ListFilter<P>,
  state: ListState<P>,
  change: (next: ListState<P>) => void,
  fixed: Record<string, unknown> = {},
): List<RowOf<K>, P> {
  const request = { ...state.filter, ...(state.sort && { sort: state.sort.key, order: state.sort.order }), ...fixed }
  const asked = { ...request, pageNum: state.page, pageSize: state.pageSize }
  const { method, path: template } = operations[operation] as { method: string; path: string }
  // A list below one thing names that thing in its path; what stands there is no part of the question.
  const inPath = (name: string) => template.includes(`{${name}}`)
  const path = pick(asked, inPath)
  const question = pick(asked, (name) => !inPath(name))
  const parts = method === 'GET' ? { path, query: question } : { path, body: question }
  const query = useApiQuery<ListOperation>(operation, parts as unknown as CallParts<ListOperation>, {
    keepPrevious: true,
  })
  const page = query.data as { list: RowOf<K>[]; total: number } | undefined
  return {
    ...state,
    operation,
    rows: page?.list ?? [],
    total: page?.total ?? 0,
    isLoading: query.isPending,
    isFetching: query.isFetching,
    error: query.error,
    sorts: filter.sorts,
    isFiltered: Object.keys(state.filter).length > 0,
    request,
    setFilter: (values) => change({ ...state, filter: known({ ...state.filter, ...values }), page: 1 }),
    clearFilter: () => change({ ...state, filter: {}, page: 1 }),
    setPage: (next, pageSize) => change({ ...state, page: pageSize === state.pageSize ? next : 1, pageSize }),
    toggleSort: (key) => change({ ...state, sort: nextSort(state.sort, key), page: 1 }),
    reload: () => void query.refetch(),
  }
}

const pick = (values: Record<string, unknown>, wanted: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(values).filter(([name]) => wanted(name)))

const known = <T extends object>(values: T): T =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== '')) as T

/** Up, down, back to the usual order. */
function nextSort(sort: ListState['sort'], key: string): ListState['sort'] {
  if (sort?.key !== key) return { key, order: 'asc' }
  return sort.order === 'asc' ? { key, order: 'desc' } : undefined
}

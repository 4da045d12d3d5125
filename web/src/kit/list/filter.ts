import type { SortOrder } from '@/ui/data-table'
import type { Choices, ChoiceValue } from '../choices'

/** How one filter value is written into an address and read back. A bad text reads as undefined: it falls back. */
export interface Param<T> {
  read(text: string): T | undefined
  write(value: T): string
}

/** Free text; what is longer than the server takes is cut. */
export const textParam = (max = 64): Param<string> => ({
  read: (text) => text.trim().slice(0, max) || undefined,
  write: (value) => value,
})

/** One value of a closed list. */
export const choiceParam = <V extends ChoiceValue>(choices: Choices<V>): Param<V> => ({
  read: (text) => choices.list.find((choice) => String(choice.value) === text)?.value,
  write: String,
})

/** The id of a thing that the server numbers. */
export const idParam = (): Param<number> => ({
  read: (text) => (/^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined),
  write: String,
})

/** A moment. The address holds UTC, so that a link means the same in every zone. */
export const timeParam = (): Param<string> => ({
  read: (text) => {
    const time = new Date(text)
    return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
  },
  write: (value) => value.replace('.000Z', 'Z'),
})

type Params = Record<string, Param<unknown>>
type ValueOf<P> = P extends Param<infer T> ? T : never

/** The filters and sorts that a list understands. */
export interface ListFilter<P extends Params = Params> {
  params: P
  sorts: readonly string[]
}

/** The values of a filter: each may be missing. */
export type FilterValues<P extends Params = Params> = { [K in keyof P]?: ValueOf<P[K]> | undefined }

/** Declares what a list may be filtered and sorted by; nothing else gets from the address to the server. */
export function defineFilter<P extends Params>(params: P, sorts: readonly string[] = []): ListFilter<P> {
  return { params, sorts }
}

/** What a list shows: which rows, which page, in which order. */
export interface ListState<P extends Params = Params> {
  filter: FilterValues<P>
  page: number
  pageSize: number
  /** The page size that was chosen; without one it is what is usual here. */
  chosenSize?: number | undefined
  sort: { key: string; order: SortOrder } | undefined
}

/** The page sizes to choose from, besides what fits the window. */
export const pageSizes = [20, 50, 100, 200, 500] as const
/** Where nothing else is known, and where nobody can measure what fits. */
export const defaultPageSize = 20
/** The largest page that the server gives. */
const largestPage = 500

/** Reads the state out of an address. What makes no sense falls back; it never throws. */
export function readState<P extends Params>(
  filter: ListFilter<P>,
  search: URLSearchParams,
  usualSize: number = defaultPageSize,
): ListState<P> {
  const values: Record<string, unknown> = {}
  for (const [name, param] of Object.entries(filter.params)) {
    const text = search.get(name)
    const value = text === null ? undefined : param.read(text)
    if (value !== undefined) values[name] = value
  }
  const page = Number(search.get('page'))
  const size = Number(search.get('size'))
  const chosenSize = Number.isSafeInteger(size) && size > 0 && size <= largestPage ? size : undefined
  const sort = search.get('sort') ?? ''
  const key = sort.replace(/^-/, '')
  return {
    filter: values as FilterValues<P>,
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
    pageSize: chosenSize ?? usualSize,
    chosenSize,
    sort: filter.sorts.includes(key) ? { key, order: sort.startsWith('-') ? 'desc' : 'asc' } : undefined,
  }
}

/** Writes the state into an address, beside what others keep there. Usual values are left out: links stay short. */
export function writeState<P extends Params>(
  filter: ListFilter<P>,
  state: ListState<P>,
  search: URLSearchParams,
): URLSearchParams {
  const next = new URLSearchParams(search)
  const put = (name: string, text: string | undefined) => (text ? next.set(name, text) : next.delete(name))
  for (const [name, param] of Object.entries(filter.params)) {
    const value = state.filter[name]
    put(name, value === undefined ? undefined : param.write(value))
  }
  put('page', state.page > 1 ? String(state.page) : undefined)
  put('size', state.chosenSize === undefined ? undefined : String(state.chosenSize))
  put('sort', state.sort && (state.sort.order === 'desc' ? `-${state.sort.key}` : state.sort.key))
  return next
}

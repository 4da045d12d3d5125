import type { Route } from '@/access/routes'
import type { Screen } from '@/access/screens'
import type { OperationId } from '@/api/call'
import type { PageCall } from '@/api/page-call'
import { type Habits, habitOf } from '@/kit/list/habit'
import { detailName } from '@/kit/list/look'
import { firstQuestion, type ListSource, partsOf } from '@/kit/list/question'

/** What is known of a screen before its module is there. */
export interface ScreenCalls {
  calls?: Screen['calls']
  list?: ListSource | undefined
  detail?: { operation: OperationId } | undefined
}

/** What the first calls depend on besides the address. */
export interface Surroundings {
  /** Method and path of the calls. */
  operations: Readonly<Record<string, { method: string; path: string }>>
  habits: Habits
  windowHeight: number
}

export type Place = Pick<URL, 'pathname' | 'search'>

/** The thing that an address is about: on a page of its own below its list, or as the open detail of the list. */
export const thingAt = ({ path }: Pick<Route, 'path'>, { pathname, search }: Place): string | undefined =>
  pathname === path ? (new URLSearchParams(search).get(detailName) ?? undefined) : pathname.slice(path.length + 1)

/** What the page of an address asks for first: its own calls, its list, and the thing that is shown. */
export function firstCalls(
  { calls, list, detail }: ScreenCalls,
  route: Pick<Route, 'path'>,
  place: Place,
  { operations, habits, windowHeight }: Surroundings,
): PageCall[] {
  const search = new URLSearchParams(place.search)
  const isList = place.pathname === route.path
  const found = isList && calls ? [...calls(search)] : []
  const listed = list && operations[list.operation]
  if (isList && listed) {
    const question = firstQuestion(list, search, habitOf(habits, list.operation), windowHeight)
    found.push({ id: list.operation, parts: partsOf(listed, question) })
  }
  const id = thingAt(route, place)
  const read = detail && operations[detail.operation]
  if (id && read) found.push({ id: detail.operation, parts: ofOne(read.path, id) })
  return found
}

/** The thing of this id, as its detail asks for it; ids that are too large for a number stay text. */
function ofOne(path: string, text: string) {
  const id = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : text
  return path.includes('{id}') ? { path: { id } } : { query: { id } }
}

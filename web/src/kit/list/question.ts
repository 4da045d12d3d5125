import type { OperationId } from '@/api/call'
import type { RowRoom } from '@/ui/use-row-room'
import { defineFilter, idParam, type ListState, type Param, readState, textParam, timeParam } from './filter'
import type { ListHabit } from './habit'
import { isAsked, readLook, rowHeights } from './look'

/*
 * What a list asks the server for. It is reckoned here for the list itself, for whoever points at a link to it, and
 * before there is any module (`app/first-load/early.ts`): nothing here may need React or a page.
 */

/** Fewer make no list; more than this a person does not read without scrolling anyway. */
const fewest = 5
const most = 200

/** How many rows a window of this height shows at once. */
export const rowsThatFit = ({ around, row }: RowRoom, windowHeight: number): number =>
  Math.min(most, Math.max(fewest, Math.floor((windowHeight - around) / row)))

/** The room of a list where none was ever measured. */
const usualRoom: RowRoom = { around: 318, row: rowHeights.standard }

/** A question as it is asked: what matches, in which order, and which page of it. */
export const questionOf = ({ filter, sort, page, pageSize }: ListState, fixed: Record<string, unknown> = {}) => ({
  ...filter,
  ...(sort && { sort: sort.key, order: sort.order }),
  ...fixed,
  pageNum: page,
  pageSize,
})

/** Where the values of a question stand in the request: a list below one thing names that thing in its path. */
export function partsOf({ method, path }: { method: string; path: string }, question: Record<string, unknown>) {
  const pick = (isWanted: boolean) =>
    Object.fromEntries(Object.entries(question).filter(([name]) => path.includes(`{${name}}`) === isWanted))
  return { path: pick(true), [method === 'GET' ? 'query' : 'body']: pick(false) }
}

/** One value of a list of choices that is not here, as what it can be: a number, yes or no, or a word. */
const anyChoice: Param<unknown> = {
  read: (text) => (/^(true|false|0|-?[1-9]\d*)$/.test(text) ? JSON.parse(text) : text),
  write: String,
}

/** Reads the filters of a list by their kinds. */
const params = {
  text: textParam(),
  id: idParam(),
  time: timeParam(),
  choice: anyChoice,
}

/** A list as the build reads it in the source of its page (`web/screen-sources.ts`). */
export interface ListSource {
  operation: OperationId
  /** How its filters are read, by their names and in their order. */
  params: Readonly<Record<string, keyof typeof params>>
  sorts: readonly string[]
}

/** What a list will ask first at an address, in a window of this height. */
export function firstQuestion(list: ListSource, address: URLSearchParams, habit: ListHabit, height: number) {
  const named = Object.entries(list.params).map(([name, kind]) => [name, params[kind]])
  const filter = defineFilter(Object.fromEntries(named), list.sorts)
  const search = habit.opening && !isAsked(filter, address) ? new URLSearchParams(habit.opening) : address
  const { around, row } = habit.room ?? usualRoom
  const { density } = readLook(search)
  const rows = rowsThatFit({ around, row: density ? rowHeights[density] : row }, height)
  return questionOf(readState(filter, search, habit.size ?? rows))
}

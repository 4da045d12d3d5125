import type { MenuEntry } from '@/access/menu'
import { allowedRoutes, generateRoutes, type Route, routeAt } from '@/access/routes'
import type { Screen } from '@/access/screens'
import { load } from '@/access/storage'
import { type Sent, sentAs } from '@/api/address'
import type { OperationId } from '@/api/call'
import type { PageCall } from '@/api/page-call'
import { loadHabits } from '@/kit/list/habit'
import type { ListSource } from '@/kit/list/question'
import { firstCalls, type Place, type Surroundings, thingAt } from './first-calls'

/** A screen as the build knows it. Numbers are those of files. */
interface EarlyScreen extends Omit<Screen, 'title' | 'load' | 'calls'> {
  chunks: number[]
  list?: ListSource | undefined
  detail?: { operation: OperationId; chunks: number[] } | undefined
  /** What it asks for at its plain address. */
  calls: readonly PageCall[]
}

/** What is known of all screens before any module is there. */
export interface EarlyTable {
  screens: EarlyScreen[]
  operations: Surroundings['operations']
}

/** The routes of this person as they were when he was here last. */
export function routesThen({ screens }: EarlyTable): Route[] {
  const tree = load<MenuEntry[]>('menuTree') ?? []
  // Titles and modules are not looked at.
  return allowedRoutes(generateRoutes(tree, screens as unknown as Screen[]), load<string[]>('roles') ?? [])
}

/** What the page of this address asks for, to the letter, and what it is made of. */
export function pageAt(table: EarlyTable, place: Place): { calls: Sent[]; chunks: number[] } {
  const { screens, operations } = table
  const route = routeAt(routesThen(table), place.pathname)
  const screen = screens.find(({ code }) => code === route?.screen?.code)
  if (!route || !screen) return { calls: [], chunks: [] }
  const around = { operations, habits: loadHabits(), windowHeight: innerHeight }
  // What it asks for with a query is not known.
  const calls = firstCalls({ ...screen, calls: () => (place.search ? [] : screen.calls) }, route, place, around)
  return {
    calls: calls.flatMap(({ id, parts }) => (operations[id] ? [sentAs(operations[id], parts)] : [])),
    chunks: [...screen.chunks, ...(thingAt(route, place) ? (screen.detail?.chunks ?? []) : [])],
  }
}

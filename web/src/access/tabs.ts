import { create } from 'zustand'
import type { Pair } from '@/i18n/messages'

/** One visited page. */
export interface Visit {
  name: string
  path: string
  /** Raw title; `no-name` where the route has none. */
  title: string
  /** The query and hash it was last seen with, so that coming back shows the same view. */
  search: string
  hash: string
  noCache: boolean
}

export interface TabsState {
  visits: readonly Visit[]
  /** Names of the pages that stay alive behind their tabs. */
  cached: readonly string[]
  /** What pages of one thing are called, by path; other pages have the title of their route. */
  names: Readonly<Record<string, Pair>>
}

const empty: TabsState = { visits: [], cached: [], names: {} }

/** Adds a page once per path and caches it unless it says noCache. A known page only updates its query. */
export function visit(state: TabsState, seen: Omit<Visit, 'title'> & { title?: string }): TabsState {
  const title = seen.title || 'no-name'
  const known = state.visits.find((view) => view.path === seen.path)
  if (known) {
    if (known.search === seen.search && known.hash === seen.hash && known.title === title) return state
    return { ...state, visits: state.visits.map((view) => (view === known ? { ...seen, title } : view)) }
  }
  const cached = seen.noCache || state.cached.includes(seen.name) ? state.cached : [...state.cached, seen.name]
  return { ...state, visits: [...state.visits, { ...seen, title }], cached }
}

function keep(state: TabsState, wanted: (view: Visit) => boolean): TabsState {
  const visits = state.visits.filter(wanted)
  const [routes, paths] = [visits.map((view) => view.name), visits.map((view) => view.path)]
  const names = Object.fromEntries(Object.entries(state.names).filter(([path]) => paths.includes(path)))
  return { visits, cached: state.cached.filter((name) => routes.includes(name)), names }
}

/** Tells what the page of one thing is called. It may know before its tab is there. */
export function named(state: TabsState, path: string, name: Pair): TabsState {
  const [zh, en] = state.names[path] ?? []
  return zh === name[0] && en === name[1] ? state : { ...state, names: { ...state.names, [path]: name } }
}

export const close = (state: TabsState, path: string) => keep(state, (view) => view.path !== path)
export const closeOthers = (state: TabsState, path: string) => keep(state, (view) => view.path === path)
/** Closes the tabs of pages that are no longer there: moved elsewhere in the menu, or no longer this person's. */
export const closeLost = (state: TabsState, isThere: (path: string) => boolean) =>
  keep(state, ({ path }) => isThere(path))
export const closeAll = (): TabsState => empty

/** Where to go when the active page is gone: the last remaining one, or home. */
export function nextAfterClose(state: TabsState, active: string): string | undefined {
  if (state.visits.some((view) => view.path === active)) return undefined
  const last = state.visits.at(-1)
  return last ? addressOfVisit(last) : '/'
}

export const addressOfVisit = (view: Visit) => view.path + view.search + view.hash

const store = create<TabsState>(() => empty)

export const useTabs = () => store()
export const currentTabs = () => store.getState()
export const changeTabs = (change: (state: TabsState) => TabsState) => store.setState(change)

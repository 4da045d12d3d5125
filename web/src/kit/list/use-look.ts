import { useEffect, useMemo, useState } from 'react'
import { type SetURLSearchParams, useLocation, useSearchParams } from 'react-router'
import { preference, usePreference } from '@/access/preferences'
import { type ListFilter, readState, writeState } from './filter'
import {
  type ColumnDifference,
  cleared,
  type Density,
  isAsked,
  type Look,
  readLook,
  usualColumns,
  usualDensity,
  viewName,
  writeLook,
} from './look'
import { noViews, type SavedViews, type View, viewsKey } from './views'

/** What the address says about a list besides its rows: how it looks, and which view it is. */
export interface ListLook {
  columns: ColumnDifference
  density: Density
  setColumns: (columns: ColumnDifference) => void
  setDensity: (density: Density) => void
  /** The view that was opened. It may be somebody else's, and may have been changed since. */
  view: string | undefined
  /** What is shown now, in the form that a view is saved in. */
  text: string
  /** The same form of a view that was saved, perhaps by an earlier version of the console. */
  textOf: (view: View) => string
  /** What a view asks the server for, without order and page. */
  filterOf: (view: View) => Readonly<Record<string, unknown>>
  /** Shows a view; without one, everything as it is usual for this person. */
  show: (view: View | undefined) => void
  /** Says that what is shown is this view from now on. */
  name: (name: string) => void
  /** The whole of it as a link. `size` fixes the rows of a page, where it is not the first one. */
  link: (size: number | undefined) => string
}

/** The look of a list, and its address, made complete by what this person prefers. */
export function useLook(operation: string, filter: ListFilter): [URLSearchParams, SetURLSearchParams, ListLook] {
  const [written, setSearch] = useSearchParams()
  const { pathname } = useLocation()
  const [columns, keepColumns] = usePreference<ColumnDifference>(`${operation}.columns`, usualColumns)
  const [density, keepDensity] = usePreference<Density>(`${operation}.density`, usualDensity)
  const usual = useMemo<Look>(
    () => ({
      columns: isUsual(columns) ? undefined : columns,
      density: density === usualDensity ? undefined : density,
    }),
    [columns, density],
  )
  const [opening, setOpening] = useState(() => openingOf(operation, filter, written))
  const search = useMemo(() => {
    const asked = opening?.from === written.toString() ? new URLSearchParams(opening.to) : written
    return writeLook({ ...usual, ...readLook(asked) }, asked)
  }, [written, opening, usual])

  // The address says all that is shown, so that it can be given away.
  useEffect(() => {
    if (search.toString() !== written.toString()) setSearch(search, { replace: true, preventScrollReset: true })
    else setOpening(undefined)
  }, [search, written, setSearch])

  const look = readLook(search)
  const view = search.get(viewName) ?? undefined
  const change = (next: URLSearchParams) => setSearch(next, { replace: true, preventScrollReset: true })
  const now: Required<Look> = { columns: look.columns ?? usualColumns, density: look.density ?? usualDensity }
  // Within a view its own columns change; without one, those that the person always sees.
  const restyle = (next: Look) => change(writeLook(view ? { ...now, ...next } : differing({ ...now, ...next }), search))
  const textOf = (from: URLSearchParams) => {
    const state = { ...readState(filter, from), page: 1, chosenSize: undefined }
    const { columns = usualColumns, density = usualDensity } = readLook(from)
    return writeLook({ columns, density }, writeState(filter, state, new URLSearchParams())).toString()
  }

  return [
    search,
    setSearch,
    {
      columns: now.columns,
      density: now.density,
      setColumns: (next) => {
        if (!view) keepColumns(next)
        restyle({ columns: next })
      },
      setDensity: (next) => {
        if (!view) keepDensity(next)
        restyle({ density: next })
      },
      view,
      text: textOf(search),
      textOf: (saved) => textOf(new URLSearchParams(saved.search)),
      filterOf: (saved) => readState(filter, new URLSearchParams(saved.search)).filter,
      show: (next) => change(next ? opened(filter, search, next) : cleared(filter, search)),
      name: (name) => {
        const next = writeLook(now, search)
        next.set(viewName, name)
        change(next)
      },
      link: (size) => {
        const whole = writeLook(now, search)
        if (size !== undefined && whole.has('page')) whole.set('size', String(size))
        return `${window.location.origin}${pathname}?${whole}`
      },
    },
  ]
}

const isUsual = ({ hidden, shown }: ColumnDifference) => hidden.length + shown.length === 0

/** The look without what is as usual. */
const differing = ({ columns, density }: Required<Look>): Look => ({
  columns: isUsual(columns) ? undefined : columns,
  density: density === usualDensity ? undefined : density,
})

/** The address that shows a view. */
function opened(filter: ListFilter, search: URLSearchParams, view: View): URLSearchParams {
  const next = cleared(filter, search)
  for (const [name, value] of new URLSearchParams(view.search)) next.set(name, value)
  // One that everybody has is known by what it shows.
  if (view.name) next.set(viewName, view.name)
  return next
}

/** The query that a list opens with, where that was chosen. */
export const openingQuery = (operation: string, filter: ListFilter): string | undefined =>
  openingOf(operation, filter, new URLSearchParams())?.to

/** A list that is opened without a wish shows the view that was chosen for that. Only then: all can still be seen. */
function openingOf(operation: string, filter: ListFilter, search: URLSearchParams) {
  const { list, first }: SavedViews = preference<SavedViews>(viewsKey(operation)) ?? noViews
  const view = list.find(({ name }) => name === first)
  return view && !isAsked(filter, search)
    ? { from: search.toString(), to: opened(filter, search, view).toString() }
    : undefined
}

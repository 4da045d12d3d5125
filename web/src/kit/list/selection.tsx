import { useState } from 'react'
import { useMessages } from '@/i18n/messages'
import { grouped } from '@/rules/format'
import type { Action } from '../action'
import { ActionButtons } from '../action-buttons'
import { kitMessages } from '../messages'
import type { ActionRunner } from '../use-actions'
import type { List, Row } from './use-list'

/** The targets of a bulk action, in the form that the server takes. */
export type Selection = { ids: (string | number)[] } | { filter: Record<string, unknown> }

/** A selection and how many rows it holds. */
export interface Picked {
  selection: Selection
  count: number
}

/** Which rows are selected: some of them by id, or everything that the filter matches. */
export interface SelectionState {
  picked: Picked | undefined
  ids: ReadonlySet<string>
  matching: boolean
  setIds: (ids: ReadonlySet<string>) => void
  selectMatching: () => void
  clear: () => void
}

const nothing: ReadonlySet<string> = new Set()

/** Remembers the selection of a list. Another filter is another question: the selection of the old one is dropped. */
export function useSelection(list: List): SelectionState {
  const question = JSON.stringify(list.filter)
  const [state, setState] = useState({ question, ids: nothing, matching: false })
  const { ids, matching } = state.question === question ? state : { ids: nothing, matching: false }
  const set = (next: ReadonlySet<string>, all: boolean) => setState({ question, ids: next, matching: all })
  // The order of rows is no part of a selection.
  const { sort: _sort, order: _order, ...filter } = list.request
  const picked = matching
    ? { selection: { filter }, count: list.total }
    : ids.size > 0
      ? { selection: { ids: idsOf(list, ids) }, count: ids.size }
      : undefined
  return {
    picked,
    ids: matching ? new Set(list.rows.map((row) => String((row as Row).id))) : ids,
    matching,
    setIds: (next) => set(next, false),
    selectMatching: () => set(nothing, true),
    clear: () => set(nothing, false),
  }
}

/** The boxes of a table hold texts; the server takes ids as it gave them. */
function idsOf(list: List, keys: ReadonlySet<string>): (string | number)[] {
  const isNumeric = typeof (list.rows[0] as Row | undefined)?.id === 'number'
  return [...keys].map((key) => (isNumeric ? Number(key) : key))
}

/** How many names a question shows before it says "and others". */
const namesShown = 5

/** What stands above the table while something is selected: how much, all that matches, and the bulk acts. */
export function SelectionBar<T extends Row>(props: {
  list: List<T>
  state: SelectionState
  picked: Picked
  acts: readonly Action[]
  nameOf: (row: T) => string
  runner: ActionRunner
}) {
  const m = useMessages(kitMessages)
  const { list, state, picked } = props
  const count = grouped(picked.count)
  const onPage = list.rows.filter((row) => state.ids.has(String(row.id)))
  const names = onPage.slice(0, namesShown).map(props.nameOf).join(m.comma)
  const more = picked.count > Math.min(onPage.length, namesShown) ? ` ${m.andMore}` : ''
  const target = state.matching ? m.willHitMatching(count) : m.willHit(count, names + more)
  const wholePage = list.rows.length > 0 && onPage.length === list.rows.length
  return (
    <section className="kit-selection" aria-live="polite">
      <strong>{state.matching ? m.allMatching(count) : m.selected(count)}</strong>
      {!state.matching && wholePage && list.total > picked.count && (
        <button type="button" className="sky-link" onClick={state.selectMatching}>
          {m.selectMatching(grouped(list.total))}
        </button>
      )}
      <button type="button" className="sky-link" onClick={state.clear}>
        {m.clearSelection}
      </button>
      <span className="kit-gap" />
      <ActionButtons acts={props.acts} runner={props.runner} target={target} size="small" />
    </section>
  )
}

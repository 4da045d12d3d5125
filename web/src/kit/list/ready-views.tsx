import { grouped } from '@/rules/format'
import type { ListLook } from './use-look'

/** A view that everybody has: what it shows of the list, and how many rows that is, once it is known. */
export interface ReadyView {
  label: string
  filter: Readonly<Record<string, string | number | boolean>>
  count: number | undefined
}

/** As it stands in an address. */
const searchOf = ({ filter }: ReadyView) =>
  new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]))

/** The view that is shown: the last one all of whose filters are set; more may be. */
export function shownOf(views: readonly ReadyView[], text: string): ReadyView | undefined {
  const now = new URLSearchParams(text)
  return views.findLast((view) => [...searchOf(view)].every(([name, value]) => now.get(name) === value))
}

/** Everything, and the views that everybody has. */
export function ReadyViews(props: {
  all: string
  total: number | undefined
  views: readonly ReadyView[]
  look: ListLook
}) {
  const { all, total, views, look } = props
  const shown = look.view === undefined ? shownOf(views, look.text) : undefined
  return (
    <>
      <Ready
        label={all}
        count={total}
        isShown={look.view === undefined && shown === undefined}
        onShow={() => look.show(undefined)}
      />
      {views.map((view) => (
        <Ready
          key={view.label}
          label={view.label}
          count={view.count}
          isShown={view === shown}
          onShow={() => look.show({ name: '', search: searchOf(view).toString() })}
        />
      ))}
    </>
  )
}

function Ready(props: { label: string; count: number | undefined; isShown: boolean; onShow: () => void }) {
  return (
    <button type="button" className="kit-view" aria-current={props.isShown ? 'true' : undefined} onClick={props.onShow}>
      {props.label}
      {props.count !== undefined && <small className="kit-view-count">{grouped(props.count)}</small>}
    </button>
  )
}

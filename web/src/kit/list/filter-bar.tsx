import { cloneElement, type ReactElement, useState } from 'react'
import { useMessages } from '@/i18n/messages'
import { Button } from '@/ui/button'
import { FilterIcon } from '@/ui/icons'
import { Popover } from '@/ui/popover'
import { useLabel, useLabels } from '../labels'
import { kitMessages } from '../messages'
import { FilterChip, FilterFace } from './filter-face'
import { TextFilter, useCurrentList } from './filters'
import { type FilterElement, type FilterRow, namesOf } from './use-filter-row'

/** The filters of a list in one row, in the order in which the screen names them; what has no room is behind a button. */
export function FilterBar({ label, row }: { label: string; row: FilterRow }) {
  return (
    <search className="kit-filters" aria-label={label}>
      <div className="kit-filter-row" ref={row.ref}>
        {row.shown.map((filter, at) => (
          <div
            key={filter.key}
            data-filter={filter.key}
            // The search takes the room that is left over: what can be searched for is a long list of words.
            data-grows={(at === 0 && filter.type === TextFilter) || undefined}
          >
            {filter}
          </div>
        ))}
        {row.hidden.length > 0 && <MoreFilters hidden={row.hidden} />}
      </div>
      {row.others}
    </search>
  )
}

const fieldWidth = 240

function MoreFilters({ hidden }: { hidden: readonly FilterElement[] }) {
  const m = useMessages(kitMessages)
  const { filter } = useCurrentList()
  const [isOpen, setOpen] = useState(false)
  const set = hidden.filter((element) => namesOf(element).some((name) => filter[name] !== undefined)).length
  const fields = (
    <div className="kit-more-filters">
      <FilterFace value="labelled">
        {hidden.map((element) => (
          <MoreField key={element.key} filter={element} />
        ))}
      </FilterFace>
    </div>
  )
  return (
    <Popover open={isOpen} onOpenChange={setOpen} trigger="click" placement="bottomLeft" content={fields}>
      <Button icon={<FilterIcon />} aria-expanded={isOpen}>
        {m.moreFilters}
        {set > 0 && (
          <span className="kit-count" title={m.setOf(set)}>
            {set}
          </span>
        )}
      </Button>
    </Popover>
  )
}

function MoreField({ filter }: { filter: FilterElement }) {
  const label = useLabel(filter.props.name, filter.props.placeholder)
  return (
    <div>
      <span>{label}</span>
      {cloneElement(filter as ReactElement<{ width?: number }>, { width: fieldWidth })}
    </div>
  )
}

/** What is set out of sight, each to be taken back, and the way to take all back. */
export function FilterChips({ row }: { row: FilterRow }) {
  const m = useMessages(kitMessages)
  const list = useCurrentList()
  const labels = useLabels()
  if (!list.isFiltered) return null
  const named = new Set([...row.shown, ...row.hidden].flatMap(namesOf))
  // A link from elsewhere may set what has no field here.
  const fieldless = Object.keys(list.filter).filter((name) => !named.has(name))
  return (
    <>
      <span className="kit-chips">
        <FilterFace value="chip">
          {row.hidden.map((element) => (
            <span key={element.key}>{element}</span>
          ))}
        </FilterFace>
        {fieldless.map((name) => {
          const value = list.filter[name]
          const text = typeof value === 'boolean' ? (value ? m.yes : m.no) : String(value)
          const remove = () => list.setFilter({ [name]: undefined })
          return <FilterChip key={name} label={labels[name] ?? name} value={text} onRemove={remove} />
        })}
      </span>
      <button type="button" className="sky-link" onClick={list.clearFilter}>
        {m.clearFilters}
      </button>
    </>
  )
}

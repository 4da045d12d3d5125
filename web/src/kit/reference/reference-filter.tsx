import { useLabel } from '../labels'
import { FilterChip, useFilterFace } from '../list/filter-face'
import { useCurrentList } from '../list/filters'
import { ReferenceSelect } from './reference-select'
import type { ReferenceId, ReferenceSource } from './source'
import { useNames } from './use-choices'

interface ReferenceFilterProps {
  /** The filter's name; its value is an id (`idParam`). */
  name: string
  source: ReferenceSource
  width?: number
  /** What it belongs to is not chosen yet. */
  waits?: boolean
  /** Filters that belong to this one: they are emptied when it changes. */
  clears?: readonly string[]
}

/** One other thing that the rows of a list belong to, chosen by name. */
export function ReferenceFilter({ name, source, width = 170, waits = false, clears = [] }: ReferenceFilterProps) {
  const list = useCurrentList()
  const label = useLabel(name)
  const value = list.filter[name] as ReferenceId | undefined
  const change = (ids: readonly ReferenceId[]) =>
    list.setFilter({ ...Object.fromEntries(clears.map((other) => [other, undefined])), [name]: ids[0] })
  const { isChip, placeholder } = useFilterFace(label)
  if (isChip) {
    if (value === undefined) return null
    return <ReferenceChip label={label} source={source} id={value} onRemove={() => change([])} />
  }
  return (
    <ReferenceSelect
      source={source}
      ids={value === undefined ? [] : [value]}
      onChange={change}
      waits={waits}
      look={{ 'aria-label': label, placeholder, style: { width } }}
    />
  )
}

interface ReferenceChipProps {
  label: string
  source: ReferenceSource
  id: ReferenceId
  onRemove: () => void
}

function ReferenceChip({ label, source, id, onRemove }: ReferenceChipProps) {
  const { nameOf } = useNames(source, [id])
  return <FilterChip label={label} value={nameOf(id)?.name ?? `#${id}`} onRemove={onRemove} />
}

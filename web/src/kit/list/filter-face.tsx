import { createContext, useContext } from 'react'
import { useMessages } from '@/i18n/messages'
import { CloseIcon } from '@/ui/icons'
import { kitMessages } from '../messages'

/** A filter shows its field; beside a label, the field alone; or, where the field is out of sight, what is set in it. */
const FaceContext = createContext<'field' | 'labelled' | 'chip'>('field')
export const FilterFace = FaceContext.Provider

/** Which face a filter has here, and what stands in its field while nothing is set. */
export function useFilterFace(label: string) {
  const m = useMessages(kitMessages)
  const face = useContext(FaceContext)
  return { isChip: face === 'chip', placeholder: face === 'labelled' ? m.any : label }
}

/** What a filter is set to, and how to be rid of it. */
export function FilterChip({ label, value, onRemove }: { label: string; value: string; onRemove: () => void }) {
  const m = useMessages(kitMessages)
  return (
    <span className="kit-chip">
      <span title={`${label} ${value}`}>
        <span className="sky-soft">{label}</span> {value}
      </span>
      <button type="button" className="sky-icon-button" aria-label={m.removeFilter(label)} onClick={onRemove}>
        <CloseIcon aria-hidden />
      </button>
    </span>
  )
}

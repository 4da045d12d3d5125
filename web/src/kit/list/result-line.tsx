import type { ReactNode } from 'react'
import { useMessages } from '@/i18n/messages'
import { formatDateTime, grouped } from '@/rules/format'
import { kitMessages } from '../messages'
import type { List } from './use-list'

interface ResultLineProps {
  list: List
  labels: Readonly<Record<string, string>>
  /** The filters that are out of sight. */
  chips: ReactNode
  remark: ReactNode
}

/** What stands in the place of the selection while there is none: how many, of what, in which order, and as of when. */
export function ResultLine({ list, labels, chips, remark }: ResultLineProps) {
  const m = useMessages(kitMessages)
  const { sort, updatedAt } = list
  const column = sort && (labels[sort.key] ?? sort.key)
  return (
    <div className="kit-result">
      {!list.isLoading && !list.error && <span>{m.total(grouped(list.total))}</span>}
      {chips}
      {column && <span>{sort.order === 'asc' ? m.sortedUp(column) : m.sortedDown(column)}</span>}
      {updatedAt ? <span>{m.updatedAt(formatDateTime(new Date(updatedAt)).slice(11))}</span> : null}
      {remark}
    </div>
  )
}

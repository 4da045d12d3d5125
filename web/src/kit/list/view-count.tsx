import type { CallParts } from '@/api/call'
import { operations } from '@/api/operations'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { grouped } from '@/rules/format'
import type { ListOperation } from './use-list'
import { viewMessages } from './view-messages'

/** A count may be as old as this: it says where to look, the list itself says how many. */
const fresh = 60_000

interface ViewCountProps {
  operation: ListOperation
  /** What the view asks for. */
  filter: Readonly<Record<string, unknown>>
}

/** How many rows a view has. A view that looks for words has none: that is no matter of kept counters. */
export function ViewCount({ operation, filter }: ViewCountProps) {
  const m = useMessages(viewMessages)
  const question = { ...filter, pageNum: 1, pageSize: 1 }
  const parts = operations[operation].method === 'GET' ? { query: question } : { body: question }
  const { data } = useApiQuery<ListOperation>(operation, parts as unknown as CallParts<ListOperation>, {
    enabled: filter.keyWord === undefined,
    staleTime: fresh,
    suppressNotice: true,
  })
  const total = (data as { total: number } | undefined)?.total
  if (total === undefined) return null
  return (
    <small className="kit-view-count" title={m.rows(total)} aria-hidden>
      {grouped(total)}
    </small>
  )
}

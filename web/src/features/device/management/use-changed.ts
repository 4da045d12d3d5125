import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { DataOf } from '@/api/call'
import type { List } from '@/kit/list/use-list'

/**
 * How many cards match now, if that is not how many the list has. Rows are patched in place; which ones there
 * are is a matter for the person, or they would jump. A list without any fills up by itself.
 */
export function useChanged(list: List, counts: UseQueryResult<DataOf<'cardCounts'>>): number | undefined {
  const { total, reload } = list
  const matching = counts.isPlaceholderData || list.isFetching ? undefined : counts.data?.total
  const hasChanged = matching !== undefined && matching !== total
  const countedAt = counts.dataUpdatedAt
  const reloadedFor = useRef(0)

  // Once for each count: should the two never agree, it is not asked forever.
  useEffect(() => {
    if (!hasChanged || total > 0 || reloadedFor.current === countedAt) return
    reloadedFor.current = countedAt
    reload()
  }, [hasChanged, total, countedAt, reload])

  return hasChanged ? matching : undefined
}

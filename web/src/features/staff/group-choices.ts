import { useMemo } from 'react'
import { useApiQuery } from '@/api/query'
import { choicesOf } from '@/kit/choices'

/** The permission groups, to choose one from. Empty until they have arrived. */
export function useGroupChoices() {
  const { data } = useApiQuery('groupListAll', {})
  return useMemo(() => choicesOf((data ?? []).map(({ id, groupName }) => [id, groupName] as const)), [data])
}

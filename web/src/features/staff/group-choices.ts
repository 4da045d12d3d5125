import { useMemo } from 'react'
import { useApiQuery } from '@/api/query'
import type { Choice, Choices } from '@/kit/choices'

/** The permission groups as a closed list, to choose one from. Empty until they have arrived. */
export function useGroupChoices(): Choices<number> {
  const { data } = useApiQuery('groupListAll', {})
  return useMemo(() => {
    const list = (data ?? []).map(({ id, groupName }): Choice<number> => ({ value: id, label: [groupName, groupName] }))
    return { list, find: (wanted) => list.find(({ value }) => value === wanted) }
  }, [data])
}

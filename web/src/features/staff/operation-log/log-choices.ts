import { useMemo } from 'react'
import { useApiQuery } from '@/api/query'
import { choicesOf } from '@/kit/choices'

/** What the log can be narrowed by, in words: acts and kinds of objects. */
export function useLogChoices() {
  const { data: words } = useApiQuery('operationLogWords', {}, { suppressNotice: true, staleTime: 600_000 })
  return useMemo(() => {
    const named = (list: readonly { code: string; name: string }[] = []) =>
      choicesOf(list.map(({ code, name }) => [code, name] as const))
    return { actions: named(words?.actions), objectKinds: named(words?.objectKinds) }
  }, [words])
}

import { useMemo } from 'react'
import { useCan } from '@/access/permissions'
import { useApiQuery } from '@/api/query'
import { choicesOf } from '@/kit/choices'

/** What the log can be narrowed by, in words: acts, kinds of objects, and operators for those who may list them. */
export function useLogChoices() {
  const mayList = useCan()('operator:list')
  const { data: words } = useApiQuery('operationLogWords', {}, { suppressNotice: true, staleTime: 600_000 })
  const { data: operators } = useApiQuery(
    'operatorList',
    { body: { pageNum: 1, pageSize: 500 } },
    { suppressNotice: true, enabled: mayList },
  )
  return useMemo(() => {
    const named = (list: readonly { code: string; name: string }[] = []) =>
      choicesOf(list.map(({ code, name }) => [code, name] as const))
    return {
      actions: named(words?.actions),
      objectKinds: named(words?.objectKinds),
      operators: operators && choicesOf(operators.list.map(({ id, username }) => [id, username] as const)),
    }
  }, [words, operators])
}

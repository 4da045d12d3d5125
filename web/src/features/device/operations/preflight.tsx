import type { CallParts } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { Judgement } from '@/kit/preflight/judgement'
import { beginMessages } from './messages'

type Asked = CallParts<'operationPreview'>['body']

/** The server's pre-flight: how many cards it runs on, how many users it affects, and why the others are skipped. */
export function Preflight({ kind, selection, force }: Asked) {
  const m = useMessages(beginMessages)
  const found = useApiQuery(
    'operationPreview',
    { body: { kind, selection, force: force ?? false } },
    {
      suppressNotice: true,
      staleTime: 0,
      keepPrevious: true,
    },
  )
  return <Judgement found={found} words={m} />
}

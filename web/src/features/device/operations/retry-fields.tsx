import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { SwitchField } from '@/kit/form/fields'
import { grouped } from '@/rules/format'
import { Callout } from '@/ui/callout'
import { isRetried } from './choices'
import { messages } from './messages'

/**
 * Whether a second operator has to approve the retry, and how many of the failed and expired tasks may have run on their
 * cards: these are retried only if that is confirmed.
 */
export default function RetryFields({ id, code }: { id: number; code: string | undefined }) {
  const m = useMessages(messages)
  const found = useApiQuery('operationGet', { path: { id } }, { suppressNotice: true, staleTime: 0 })
  const retried = (found.data?.reasons ?? []).filter(
    (group) => isRetried(group.state) && (code === undefined || group.code === code),
  )
  const untouched = retried.reduce((all, { neverBegan }) => all + neverBegan, 0)
  const mayHaveRun = retried.reduce((all, { proved, unknown }) => all + proved + unknown, 0)
  return (
    <>
      {found.data?.retryNeedsApproval && <Callout tone="info" title={m.retryApproval} />}
      {mayHaveRun > 0 && (
        <>
          <Callout tone="warn" title={m.retryMayHaveRun(grouped(mayHaveRun), grouped(untouched))} />
          <SwitchField name="confirmed" label={m.retryConfirmed} />
        </>
      )}
    </>
  )
}

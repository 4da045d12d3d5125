import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { SwitchField } from '@/kit/form/fields'
import { grouped } from '@/rules/format'
import { Callout } from '@/ui/callout'
import { taskStep } from './choices'
import { messages } from './messages'

/** How many of the failed tasks may have run on their cards; these are retried only if that is confirmed. */
export default function RetryFields({ id, code }: { id: number; code: string | undefined }) {
  const m = useMessages(messages)
  const found = useApiQuery('operationGet', { path: { id } }, { suppressNotice: true, staleTime: 0 })
  const failed = (found.data?.reasons ?? []).filter(
    (group) => group.state === taskStep.value.failed && (code === undefined || group.code === code),
  )
  const untouched = failed.reduce((all, { neverBegan }) => all + neverBegan, 0)
  const mayHaveRun = failed.reduce((all, { proved, unknown }) => all + proved + unknown, 0)
  if (mayHaveRun === 0) return null
  return (
    <>
      <Callout tone="warn" title={m.retryMayHaveRun(grouped(mayHaveRun), grouped(untouched))} />
      <SwitchField name="confirmed" label={m.retryConfirmed} />
    </>
  )
}

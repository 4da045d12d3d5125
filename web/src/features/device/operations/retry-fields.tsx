import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { SwitchField } from '@/kit/form/fields'
import { grouped } from '@/rules/format'
import { Callout } from '@/ui/callout'
import { Form } from '@/ui/form'
import { isRetried } from './choices'
import { messages } from './messages'

/**
 * Whether a second operator has to approve the retry, and how many of the failed and expired tasks may have run on their
 * cards: these are retried only if that is confirmed.
 */
export default function RetryFields({ id, code }: { id: number; code: string | undefined }) {
  const m = useMessages(messages)
  const isConfirmed = Form.useWatch('confirmed', Form.useFormInstance()) === true
  const { data } = useApiQuery('operationGet', { path: { id } }, { suppressNotice: true, staleTime: 0 })
  const retried = (data?.reasons ?? []).filter(
    (group) => isRetried(group.state) && (code === undefined || group.code === code),
  )
  const untouched = retried.reduce((all, { neverBegan }) => all + neverBegan, 0)
  const mayHaveRun = retried.reduce((all, { proved, unknown }) => all + proved + unknown, 0)
  const sent = untouched + (isConfirmed ? mayHaveRun : 0)
  // The server has judged all of them; a part of these may be few enough.
  const isAll = data !== undefined && sent === data.failed + data.expired
  return (
    <>
      {data?.retryNeedsApproval && sent > 0 && (
        <Callout tone="info" title={isAll ? m.retryApproval : m.retryMayNeedApproval} />
      )}
      {mayHaveRun > 0 && (
        <>
          <Callout tone="warn" title={m.retryMayHaveRun(grouped(mayHaveRun), grouped(untouched))} />
          <SwitchField name="confirmed" label={m.retryConfirmed} />
        </>
      )}
    </>
  )
}

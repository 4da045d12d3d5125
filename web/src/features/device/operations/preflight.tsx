import type { CallParts } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { ChoiceLabel } from '@/kit/choices'
import { grouped } from '@/rules/format'
import { Callout } from '@/ui/callout'
import { taskStep } from './choices'
import { beginMessages } from './messages'

type Asked = CallParts<'operationPreview'>['body']

/** The server's pre-flight: how many cards it runs on, how many users it affects, and why the others are skipped. */
export function Preflight({ kind, selection, force }: Asked) {
  const m = useMessages(beginMessages)
  const found = useApiQuery(
    'operationPreview',
    { body: { kind, selection, force: force ?? false } },
    { suppressNotice: true, staleTime: 0, keepPrevious: true },
  )
  if (found.isPending) return <p className="sky-soft">{m.looking}</p>
  if (!found.data) return <Callout tone="warn" title={m.lookFailed} />
  const { total, willRun, usersHit, leftOut, hasMore, needsApproval } = found.data
  const count = grouped(willRun)
  return (
    <section aria-live="polite">
      {willRun === 0 ? (
        <Callout tone="warn" title={m.nothing} />
      ) : (
        <p>{willRun === total ? m.willRun(count) : m.willRunOf(count, grouped(total))}</p>
      )}
      {usersHit > 0 && <Callout tone="bad" title={m.hits(grouped(usersHit))} />}
      {leftOut.length > 0 && (
        <ul className="operation-reasons">
          {leftOut.map(({ state, code, words, count }) => (
            <li key={`${state} ${code}`}>
              <ChoiceLabel choices={taskStep} value={state} />
              {words}
              <strong>{grouped(count)}</strong>
            </li>
          ))}
        </ul>
      )}
      {hasMore && <p className="sky-soft">{m.more}</p>}
      {needsApproval && <Callout tone="info" title={m.approval} />}
    </section>
  )
}

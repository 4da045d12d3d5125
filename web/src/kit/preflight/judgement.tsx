import type { DataOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { grouped } from '@/rules/format'
import { Callout } from '@/ui/callout'
import { LeftOut } from './left-out'
import { preflightMessages } from './messages'

interface JudgementProps {
  found: { isPending: boolean; data: DataOf<'operationPreview'> | undefined }
  /** What is said of the targets. */
  words: {
    nothing: string
    willRun: (count: string) => string
    willRunOf: (count: string, total: string) => string
    more: string
  }
}

/** What the server's pre-flight found. */
export function Judgement({ found, words }: JudgementProps) {
  const m = useMessages(preflightMessages)
  if (found.isPending) return <p className="sky-soft">{m.looking}</p>
  if (!found.data) return <Callout tone="warn" title={m.lookFailed} />
  const { total, willRun, usersHit, leftOut, hasMore, needsApproval } = found.data
  const count = grouped(willRun)
  return (
    <section aria-live="polite">
      {willRun === 0 ? (
        <Callout tone="warn" title={words.nothing} />
      ) : (
        <p>{willRun === total ? words.willRun(count) : words.willRunOf(count, grouped(total))}</p>
      )}
      {usersHit > 0 && <Callout tone="bad" title={m.hits(grouped(usersHit))} />}
      <LeftOut groups={leftOut} />
      {hasMore && <p className="sky-soft">{words.more}</p>}
      {needsApproval && <Callout tone="info" title={m.approval} />}
    </section>
  )
}

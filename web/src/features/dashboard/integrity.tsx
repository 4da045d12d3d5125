import { useMessages } from '@/i18n/messages'
import { formatDateTime } from '@/rules/format'
import { Callout } from '@/ui/callout'
import type { Dashboard } from './data'
import { messages } from './messages'

/** The result of the last integrity check: a line while all is well, a warning otherwise. */
export function Integrity({ found }: { found: NonNullable<Dashboard['integrity']> }) {
  const m = useMessages(messages)
  const at = formatDateTime(new Date(found.checkedAt))
  if (found.ok) {
    const seconds = (found.milliseconds / 1000).toFixed(1)
    const text = m.integrityOk(at, seconds, found.logLines)
    return (
      <p className="dashboard-integrity" title={text}>
        {text}
      </p>
    )
  }
  return (
    <Callout tone="bad" title={m.integrityBad(at, found.problems.length)}>
      <ul>
        {found.problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </Callout>
  )
}

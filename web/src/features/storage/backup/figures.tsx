import type { RowOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { ChoiceLabel } from '@/kit/choices'
import { StatusTag } from '@/ui/status-tag'
import { backupState } from '../choices'
import { messages } from './messages'

type Backup = RowOf<'backupList'>

/** The state of a copy: how far it is, why there is none, and whether a phone lives by it. */
export function BackupStateLabel({ of }: { of: Pick<Backup, 'state' | 'percent' | 'reason' | 'damage'> }) {
  const why = of.damage || of.reason
  return (
    <span title={why}>
      <ChoiceLabel choices={backupState} value={of.state} />
      {typeof of.percent === 'number' && <span className="sky-soft"> {of.percent} %</span>}
      {why && <span className="sky-soft"> {why}</span>}
    </span>
  )
}

/** That a phone lives by a copy. */
export function Kept({ of }: { of: Pick<Backup, 'isKept'> }) {
  const m = useMessages(messages)
  return of.isKept ? <StatusTag tone="good">{m.fields.isKept}</StatusTag> : <span className="sky-soft">—</span>
}

/** How long a copy took. */
export function Took({ of }: { of: Pick<Backup, 'millis'> }) {
  const m = useMessages(messages)
  if (of.millis === 0) return <span className="sky-soft">—</span>
  const seconds = Math.ceil(of.millis / 1000)
  return seconds < 120 ? m.seconds(seconds) : m.minutes((seconds / 60).toFixed(1))
}

import type { RowOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { ChoiceLabel } from '@/kit/choices'
import { StatusTag } from '@/ui/status-tag'
import { backupState } from '../choices'
import { messages } from './messages'

type Backup = RowOf<'backupList'>

type State = Pick<Backup, 'state' | 'percent' | 'reason' | 'damage' | 'isVerifying'>

/** The state of a copy: how far it is, why there is none, what is damaged. */
export function BackupStateLabel({ of }: { of: State }) {
  const m = useMessages(messages)
  const why = of.damage || of.reason
  return (
    <span title={why}>
      {of.damage ? (
        <StatusTag tone="bad">{m.damaged}</StatusTag>
      ) : (
        <ChoiceLabel choices={backupState} value={of.state} />
      )}
      {of.isVerifying && <span className="sky-soft"> {m.verifying}</span>}
      {typeof of.percent === 'number' && <span className="sky-soft"> {of.percent} %</span>}
      {why && <span className="sky-soft"> {why}</span>}
    </span>
  )
}

/** That a phone lives by a copy, that it has what was left on a card in quarantine, or that it was made while the phone went on. */
export function Kept({ of }: { of: Pick<Backup, 'isKept' | 'isLive' | 'isSalvaged'> }) {
  const m = useMessages(messages)
  if (of.isKept) return <StatusTag tone="good">{m.fields.isKept}</StatusTag>
  if (of.isSalvaged) return <span className="sky-soft">{m.fields.isSalvaged}</span>
  return <span className="sky-soft">{of.isLive ? m.live : '—'}</span>
}

/** How long a copy took. */
export function Took({ of }: { of: Pick<Backup, 'millis'> }) {
  const m = useMessages(messages)
  if (of.millis === 0) return <span className="sky-soft">—</span>
  const seconds = Math.ceil(of.millis / 1000)
  return seconds < 120 ? m.seconds(seconds) : m.minutes((seconds / 60).toFixed(1))
}

import type { RowOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { ChoiceLabel } from '@/kit/choices'
import { StatusTag } from '@/ui/status-tag'
import { sessionEnd } from '../choices'
import { lasting } from './lasting'
import { messages } from './messages'

type Session = RowOf<'phoneSessionList'>

/** From so many seconds of silence on a gateway is said to be silent: it speaks every ten. */
const quiet = 60

/** Whether somebody uses the phone, whether it is there, or why it has left. */
export function SessionState({ of }: { of: Pick<Session, 'streamAt' | 'silentS' | 'why'> }) {
  const m = useMessages(messages)
  if (of.streamAt)
    return (
      <span>
        <StatusTag tone="good">{m.inUse}</StatusTag>
        {typeof of.silentS === 'number' && of.silentS >= quiet && (
          <span className="sky-soft"> {m.silent(inWords(of.silentS, m))}</span>
        )}
      </span>
    )
  if (typeof of.why === 'number') return <ChoiceLabel choices={sessionEnd} value={of.why} />
  return <StatusTag tone="info">{m.on}</StatusTag>
}

/** A number of seconds, in words. */
export function Lasting({ seconds }: { seconds: number | null | undefined }) {
  const m = useMessages(messages)
  if (typeof seconds !== 'number') return <span className="sky-soft">—</span>
  return inWords(seconds, m)
}

type Units = Record<'seconds' | 'minutes' | 'hours' | 'days', (count: number, rest: number) => string>

function inWords(seconds: number, m: Units): string {
  const [unit, count, rest] = lasting(seconds)
  return m[unit](count, rest)
}

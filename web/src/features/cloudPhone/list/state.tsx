import './phone.css'
import type { RowOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { ChoiceLabel } from '@/kit/choices'
import { TimeText } from '@/kit/time-text'
import { byteSize } from '@/rules/format'
import { ShareBar } from '@/ui/share-bar'
import { life, sagaState, stepName, useType } from '../choices'
import { messages } from './messages'
import { daysUntil, diskShare } from './rules'

type Phone = RowOf<'phoneList'>

/** What matters most of a phone's state: what is being done to it, where an active one is, and else what became of it. */
export function PhoneState({ of }: { of: Pick<Phone, 'life' | 'useType' | 'underWay'> }) {
  const m = useMessages(messages)
  const { underWay } = of
  if (underWay) {
    const { state, step, position, percent } = underWay
    return (
      <span className="phone-state">
        <ChoiceLabel choices={sagaState} value={state} />
        <span className="sky-soft">
          {position ? m.position(position) : <ChoiceLabel choices={stepName} value={step} />}
          {typeof percent === 'number' && ` ${percent} %`}
        </span>
      </span>
    )
  }
  return of.life === life.value.active ? (
    <ChoiceLabel choices={useType} value={of.useType} />
  ) : (
    <ChoiceLabel choices={life} value={of.life} />
  )
}

/** When the time of a phone is up, and how many days that is; of a released one, how long it can be had back. */
export function Expiry({ of }: { of: Pick<Phone, 'life' | 'expiresAt' | 'staysUntil'> }) {
  const m = useMessages(messages)
  const now = Date.now()
  const days = daysUntil(of.expiresAt, now)
  const isOver = Date.parse(of.expiresAt) <= now
  const tone = isOver || days <= 7 ? 'phone-soon' : 'sky-soft'
  return (
    <span className="phone-expiry">
      <TimeText at={of.expiresAt} />{' '}
      {of.staysUntil ? (
        <span className="phone-soon">{m.stays(daysUntil(of.staysUntil, now))}</span>
      ) : (
        of.life !== life.value.erased && <span className={tone}>{isOver ? m.daysOver(-days) : m.daysLeft(days)}</span>
      )}
    </span>
  )
}

/** How full the disk of a phone is. */
export function Disk({ of }: { of: Pick<Phone, 'usedBytes' | 'diskGb'> }) {
  const share = diskShare(of.usedBytes, of.diskGb)
  return (
    <span className="phone-disk">
      <ShareBar share={share} />
      {byteSize(of.usedBytes)} / {of.diskGb} GB
    </span>
  )
}

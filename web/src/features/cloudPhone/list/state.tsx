import './phone.css'
import type { RowOf } from '@/api/call'
import { useLanguage } from '@/i18n/language'
import { counted, defineMessages, useMessages } from '@/i18n/messages'
import { ChoiceLabel, choiceText } from '@/kit/choices'
import { TimeText } from '@/kit/time-text'
import { byteSize } from '@/rules/format'
import { ShareBar } from '@/ui/share-bar'
import { diskState, life, sagaKind, sagaState, stepName, useType } from '../choices'
import { daysUntil, diskShare } from './rules'

const messages = defineMessages({
  position: (place: number) => [`第 ${place} 位`, `no. ${place}`],
  daysLeft: (days: number) => [`剩 ${days} 天`, counted(days, 'day left', 'days left')],
  daysOver: (days: number) => [`过 ${days} 天`, counted(days, 'day ago', 'days ago')],
  stays: (days: number) => [`还可恢复 ${days} 天`, counted(days, 'day to restore', 'days to restore')],
})

type Phone = RowOf<'phoneList'>

/** What matters most of a phone's state: what is being done to it, where an active one is, and else what became of it. */
export function PhoneState({ of }: { of: Pick<Phone, 'life' | 'useType' | 'underWay'> }) {
  const m = useMessages(messages)
  const language = useLanguage()
  const { underWay } = of
  if (underWay) {
    const { kind, state, step, position, percent } = underWay
    // A backup and a take-off have the same steps and end differently. Where a kind is one step, it is said once.
    const what = choiceText(sagaKind, kind, language)
    const where = position ? m.position(position) : choiceText(stepName, step, language)
    return (
      <span className="phone-state">
        <ChoiceLabel choices={sagaState} value={state} />
        <span className="sky-soft">
          {what === where ? what : `${what} · ${where}`}
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

/** How full the disk of a phone is, by its last backup. */
export function Disk({ of }: { of: Pick<Phone, 'usedBytes' | 'diskGb' | 'diskState'> }) {
  const share = diskShare(of.usedBytes, of.diskGb)
  return (
    <span className="phone-disk">
      <ShareBar share={share} />
      {byteSize(of.usedBytes)} / {of.diskGb} GB
      {of.diskState !== diskState.value.fine && (
        <>
          {' '}
          <ChoiceLabel choices={diskState} value={of.diskState} />
        </>
      )}
    </span>
  )
}

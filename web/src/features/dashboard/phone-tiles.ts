import type { DataOf } from '@/api/call'
import { words as sessionEndWords } from '@/api/words/SessionEnd'
import type { Language } from '@/i18n/language'
import { textsOf } from '@/i18n/messages'
import { choiceText, defineChoices } from '@/kit/choices'
import { byteSize, grouped } from '@/rules/format'
import { dayAndBefore, type PhoneHour } from './phone-hours'
import { phoneMessages } from './phone-messages'
import type { Tile } from './tiles'

export type PhoneOverview = DataOf<'phoneOverview'>
export type StoreTotals = DataOf<'storeNodeTotals'>

const sessionEnd = defineChoices(sessionEndWords)
const list = '/cloudPhone/list'
const sessions = '/cloudPhone/sessions'
/** Whoever waits for so many seconds waits for long. */
const long = 60

/** A span of time in its largest unit: a tile has room for one. */
function span(seconds: number, language: Language): string {
  const m = textsOf(phoneMessages, language)
  if (seconds < 60) return m.seconds(seconds)
  return seconds < 3600 ? m.minutes(Math.floor(seconds / 60)) : m.hours(Math.floor(seconds / 3600))
}

/** Where phones are, who waits, what was done of late, and what has gone wrong; each leads to the rows that it counts. */
export function phoneTiles(of: PhoneOverview, hours: readonly PhoneHour[] | undefined, language: Language): Tile[] {
  const m = textsOf(phoneMessages, language)
  const course = (figure: (hour: PhoneHour) => number) => hours && dayAndBefore(hours, figure).day
  const waits =
    typeof of.medianWaitS === 'number' && typeof of.longestWaitS === 'number'
      ? {
          median: span(of.medianWaitS, language),
          longest: span(of.longestWaitS, language),
          isLong: of.longestWaitS >= long,
        }
      : undefined
  const rules = of.byRules.map(({ why, count }) => `${choiceText(sessionEnd, why, language)} ${grouped(count)}`)
  const said = (...parts: (string | undefined)[]) => parts.filter(Boolean).join(' · ')
  const phones = 'phone:list'
  const stays = 'phoneSession:list'
  const since = (name: string, at: string) => `${name}=${encodeURIComponent(at)}`
  return [
    {
      label: m.on,
      tip: m.onTip(grouped(of.all)),
      value: of.on,
      to: `${list}?useType=1`,
      need: phones,
      course: course(({ on }) => on),
    },
    { label: m.used, tip: m.usedTip, value: of.used, to: `${sessions}?isUsed=true`, need: stays },
    { label: m.off, tip: m.offTip, value: of.off, to: `${list}?life=2&useType=2`, need: phones },
    {
      label: m.queued,
      tip: said(m.queuedTip, waits && m.waits(waits.median, waits.longest)),
      value: of.queued,
      to: `${list}?queued=true`,
      need: phones,
      ...(waits && { note: waits.longest }),
      tone: waits?.isLong ? 'warn' : undefined,
    },
    { label: m.noBackup, tip: m.noBackupTip, value: of.noBackup, to: `${list}?noBackup=true`, need: phones },
    {
      label: m.held,
      tip: m.heldTip,
      value: of.held,
      to: `${list}?held=true`,
      need: phones,
      tone: of.held > 0 ? 'bad' : undefined,
    },
    { label: m.soon, tip: m.soonTip, value: of.expiresSoon, to: `${list}?expiresSoon=true`, need: phones },
    {
      label: m.putOn,
      tip: m.putOnTip,
      value: of.putOn,
      to: `${sessions}?${since('startTime', of.dayAgo)}`,
      need: stays,
      course: course(({ putOn }) => putOn),
    },
    { label: m.left, tip: m.leftTip, value: of.left, to: `${sessions}?${since('leftStart', of.dayAgo)}`, need: stays },
    {
      label: m.failed,
      tip: m.failedTip(grouped(of.putOnFailed), grouped(of.takeOffFailed)),
      value: of.failed,
      to: `${list}?failed=true`,
      need: phones,
      tone: of.failed > 0 ? 'bad' : undefined,
    },
    {
      label: m.byRule,
      tip: said(m.byRuleTip, ...rules),
      value: of.byRule,
      to: `${sessions}?byRule=true&${since('leftStart', of.today)}`,
      need: stays,
    },
  ]
}

/** How full storage is, and until when it lasts. */
export function storageTile(of: StoreTotals, language: Language): Tile {
  const m = textsOf(phoneMessages, language)
  const days = typeof of.daysToFull === 'number' ? m.daysToFull(of.daysToFull) : undefined
  const unreachable = of.unreachable > 0 ? m.unreachable(of.unreachable) : undefined
  const percent = Math.round((of.usedBytes / Math.max(1, of.limitBytes)) * 100)
  const tip = [m.storageTip(byteSize(of.usedBytes), byteSize(of.limitBytes)), days, unreachable]
  return {
    label: m.storage,
    tip: tip.filter(Boolean).join(' · '),
    value: percent,
    unit: '%',
    to: '/storage/management',
    need: 'storage:list',
    ...(days && { note: days }),
    tone: of.unreachable + of.full > 0 ? 'bad' : of.nearlyFull > 0 ? 'warn' : undefined,
  }
}

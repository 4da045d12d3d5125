import './health.css'
import type { ReactNode } from 'react'
import type { RowOf } from '@/api/call'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { type Choices, choiceText } from '@/kit/choices'
import { formatDateTime } from '@/rules/format'
import type { Tone } from '@/ui/tone'
import { axis, lifecycle, maintenance, occupancy, power, source } from '../choices'
import { type Card, chainOf, type Layer, lastOf } from './health'
import { healthMessages } from './health-messages'

type Event = RowOf<'cardEvents'>

/** Signs as in tables: no value is told by its colour alone. */
const signs: Partial<Record<Tone, string>> = { good: '✓', bad: '×', warn: '!' }
const linkTone = { works: 'good', shaky: 'warn', broken: 'bad', unknown: 'muted' } as const
const layerAxis: Record<Layer, number> = {
  reached: axis.value.reached,
  tcpOpen: axis.value.tcpOpen,
  adbAnswers: axis.value.adbAnswers,
  booted: axis.value.booted,
}

/** Every axis of a card with its value and since when; from the agent to Android they are one chain. */
export function HealthStrip({ card, events }: { card: Card; events: readonly Event[] }) {
  const m = useMessages(healthMessages)
  const language = useLanguage()
  const isServed = card.maintenance.state !== maintenance.value.none
  return (
    <ul className="card-health" aria-label={m.health}>
      <Axis label={m.lifecycle} tone={toneOf(lifecycle, card.lifecycle)} event={lastOf(events, axis.value.lifecycle)}>
        {choiceText(lifecycle, card.lifecycle, language)}
      </Axis>
      <Axis label={m.power} tone={toneOf(power, card.power)} event={lastOf(events, axis.value.power)}>
        {choiceText(power, card.power, language)}
      </Axis>
      {chainOf(card).map(({ layer, state, misses, isFirst }) => (
        <Axis
          key={layer}
          label={m[layer]}
          tone={linkTone[state]}
          event={state === 'unknown' ? undefined : lastOf(events, layerAxis[layer])}
          isLink
          isBroken={isFirst}
          note={[misses > 0 && m.misses(misses), state === 'unknown' && m.behind]}
        >
          {state === 'broken' ? m.broken[layer] : m[state]}
        </Axis>
      ))}
      <Axis label={m.occupancy} tone="muted" event={lastOf(events, axis.value.occupancy)}>
        {choiceText(occupancy, card.occupancy, language)}
      </Axis>
      <Axis
        label={m.maintenance}
        tone={isServed ? 'warn' : 'muted'}
        event={lastOf(events, axis.value.maintenance)}
        note={[card.maintenance.reason]}
      >
        {isServed ? choiceText(maintenance, card.maintenance.state, language) : m.none}
      </Axis>
      <Axis
        label={m.assignable}
        tone={card.isAssignable ? 'good' : 'muted'}
        event={lastOf(events, axis.value.assignable)}
      >
        {card.isAssignable ? m.yes : m.no}
      </Axis>
    </ul>
  )
}

interface AxisProps {
  label: string
  tone: Tone
  event: Event | undefined
  isLink?: boolean
  isBroken?: boolean
  note?: readonly (string | false | null | undefined)[]
  children: ReactNode
}

function Axis({ label, tone, event, isLink, isBroken, note = [], children }: AxisProps) {
  const m = useMessages(healthMessages)
  const language = useLanguage()
  const at = event && formatDateTime(new Date(event.at))
  const told = [
    at && m.since(at),
    event && m.saidBy([choiceText(source, event.source, language), event.by].filter(Boolean).join(' · ')),
    event?.reason,
    ...note,
  ]
  return (
    <li
      data-link={isLink || undefined}
      data-broken={isBroken || undefined}
      data-tone={tone}
      title={told.filter(Boolean).join('\n')}
    >
      <span>{label}</span>
      <strong>
        {signs[tone] && <i aria-hidden>{signs[tone]}</i>}
        {children}
      </strong>
      <small>{event && at ? <time dateTime={event.at}>{m.sinceShort(shortly(at))}</time> : ' '}</small>
    </li>
  )
}

const toneOf = (choices: Choices, value: unknown) => choices.find(value)?.tone ?? 'muted'

/** A moment in so few letters that it fits below a value: the time of today, else the day. */
function shortly(at: string): string {
  const isToday = at.slice(0, 10) === formatDateTime(new Date()).slice(0, 10)
  return isToday ? at.slice(11, 16) : at.slice(5, 10)
}

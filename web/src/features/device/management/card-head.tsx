import './health.css'
import { Fragment } from 'react'
import { Link } from 'react-router'
import { useApiQuery } from '@/api/query'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import type { Action } from '@/kit/action'
import { ActionButtons } from '@/kit/action-buttons'
import { useActions } from '@/kit/use-actions'
import { formatDateTime } from '@/rules/format'
import { Callout } from '@/ui/callout'
import { maintenance, networkStatus, runStatus } from '../choices'
import { useLimits } from '../limits'
import { framePath, roomPath } from '../links'
import { useOperationActs } from '../operations/acts'
import { useCardActs } from './acts'
import { type Card, type Wrong, wrongOf } from './health'
import { healthMessages } from './health-messages'
import { HealthStrip } from './health-strip'
import { lasting } from './lasting'

/** What is known of a card at first sight: where it is, what is wrong and what helps, and its health. */
export function CardHead({ card }: { card: Card }) {
  const wrong = wrongOf(card, useLimits())
  const events = useApiQuery('cardEvents', { path: { id: card.id }, query: { pageNum: 1, pageSize: 100 } })
  return (
    <>
      <PlaceLine card={card} />
      {wrong && <WrongLine card={card} wrong={wrong} />}
      <HealthStrip card={card} events={events.data?.list ?? []} />
    </>
  )
}

function PlaceLine({ card }: { card: Card }) {
  const m = useMessages(healthMessages)
  const { room, frame, host, position, serial, model, board } = card
  const links: [string, string | undefined][] = [[room.name ?? '', roomPath(card.roomId)]]
  if (frame) links.push([frame.name ?? '', framePath(frame.id)])
  if (host) links.push([host.name ?? '', undefined])
  if (position) links.push([m.position(position), undefined])
  return (
    <p className="card-place">
      {links.map(([name, to], at) => (
        <Fragment key={name}>
          {at > 0 && <span className="sky-soft">›</span>}
          {to ? (
            <Link className="sky-link" to={to}>
              {name}
            </Link>
          ) : (
            <span>{name}</span>
          )}
        </Fragment>
      ))}
      {serial && <span className="sky-mono sky-soft">{serial}</span>}
      <span className="sky-soft">{[model, board].filter(Boolean).join(' · ')}</span>
      <span className="kit-gap" />
      {frame && (
        <Link className="sky-link" to={`${roomPath(card.roomId)}&frame=${frame.id}${host ? `&host=${host.id}` : ''}`}>
          {m.inPanel}
        </Link>
      )}
    </p>
  )
}

/** What is wrong, for how long, and the one act that is likely to help. */
function WrongLine({ card, wrong }: { card: Card; wrong: Wrong }) {
  const m = useMessages(healthMessages)
  const language = useLanguage()
  const runner = useActions()
  const acts = useHelp(card, wrong)
  const isDown = [runStatus.value.fault, runStatus.value.offline].some((state) => state === card.runStatus)
  const since = isDown
    ? card.runSince
    : card.networkStatus === networkStatus.value.online
      ? undefined
      : card.networkSince
  const healthy = card.live?.bootedOkAt
  const hints = [card.faultReason, healthy && m.lastHealthy(formatDateTime(new Date(healthy)))]
  const title = titleOf()
  return (
    <div className="card-wrong">
      <Callout
        tone={isDown || wrong.kind === 'faulty' ? 'bad' : 'warn'}
        title={since ? m.lasting(title, lasting(since, m)) : title}
        action={<ActionButtons acts={acts} runner={runner} target={`${card.intranetIp}:${card.adbPort}`} primary />}
      >
        {hints.filter(Boolean).join(language === 'zh' ? '；' : '; ')}
      </Callout>
      {runner.host}
    </div>
  )

  function titleOf(): string {
    if (wrong.kind === 'broken') return m.brokenLayer[wrong.layer]
    if (wrong.kind === 'shaky') return m.shakyLayer[wrong.layer]
    if (wrong.kind !== 'over') return m[wrong.kind]
    const unit = wrong.figure === 'temperature' ? ' °C' : '%'
    return m.over(m.figures[wrong.figure], `${wrong.value}${unit}`, `${wrong.limit}${unit}`)
  }
}

/** The act that is likely to help. What is in maintenance already is in somebody's hands. */
function useHelp(card: Card, wrong: Wrong): Action[] {
  const operate = useOperationActs()
  const maintain = useCardActs().of
  if (!('helps' in wrong) || !wrong.helps || card.maintenance.state !== maintenance.value.none) return []
  const selection = { ids: [card.id] }
  const acts =
    wrong.helps === 'maintain' ? maintain(selection, card.maintenance.state) : operate(selection, 'one', [wrong.helps])
  return acts.slice(0, 1).map(({ group: _, ...act }) => act)
}

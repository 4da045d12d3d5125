import '../device.css'
import { lazy, Suspense } from 'react'
import { useCan } from '@/access/permissions'
import type { DataOf } from '@/api/call'
import type { Code } from '@/api/codes'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import { ChoiceLabel, yesNo } from '@/kit/choices'
import { DetailDrawer } from '@/kit/detail/detail-drawer'
import { Facts } from '@/kit/detail/facts'
import { ReferenceText } from '@/kit/reference/reference-text'
import { TimeText } from '@/kit/time-text'
import { phonePath, SessionsOf } from '../../cloudPhone/links'
import { imagePath } from '../../storage/links'
import { fact, lifecycle, maintenance, markState, networkStatus, occupancy, power, runStatus } from '../choices'
import { roomPath } from '../links'
import { useLiveCards } from '../live'
import { useOperationActs } from '../operations/acts'
import { useCardActs } from './acts'
import { CardHead } from './card-head'
import { CardFigures } from './figures'
import { CardFiles } from './files'
import { messages } from './messages'
import { CardScreen, CardTasks } from './tasks'
import { Timeline } from './timeline'

// The charts come when somebody looks at them.
const CardMetrics = lazy(() => import('./metrics'))

type Card = DataOf<'cardGet'>

interface DetailProps {
  id: number
  onEdit: (card: Card) => void
  onClose: () => void
}

const nameOf = (card: Card) => `${card.intranetIp}:${card.adbPort}`

const addressOf = (ip: string | null | undefined, port: number | null | undefined) =>
  ip ? <span className="sky-mono">{`${ip}:${port ?? ''}`}</span> : '—'

/** Whether somebody may look at what a card shows or keeps: where a phone is on it, that is a customer's. */
const sees = (can: ReturnType<typeof useCan>, card: Card, ofPhone: Code) =>
  can('operation:list') && can('device:files') && (!card.phone || can(ofPhone))

/** One card: its data, its state, its history and its metrics. */
export default function CardDetail({ id, onEdit, onClose }: DetailProps) {
  const m = useMessages(messages)
  const acts = useCardActs()
  const can = useCan()
  const operate = useOperationActs()
  const query = useApiQuery('cardGet', { path: { id } })
  useLiveCards([], (deltas) => {
    if (deltas.some((delta) => delta.id === id)) void query.refetch()
  })
  return (
    <>
      <DetailDrawer
        messages={messages}
        query={query}
        title={nameOf}
        status={(card) => <ChoiceLabel choices={runStatus} value={card.runStatus} />}
        name={nameOf}
        logged={({ id }) => ({ kind: 'card', id })}
        actions={(card) => [
          acts.shell(card),
          action(m.edit, { need: 'device:update', run: () => onEdit(card) }),
          ...operate({ ids: [card.id] }, 'one'),
          ...[...acts.of({ ids: [card.id] }, card.maintenance.state), acts.move(card)].map((act) => ({
            ...act,
            group: m.maintain,
          })),
        ]}
        head={(card) => <CardHead card={card} />}
        tabs={(card) => [
          { key: 'about', label: m.overview, content: <Overview card={card} /> },
          { key: 'connectivity', label: m.connectivity, content: <Connectivity card={card} /> },
          {
            key: 'metrics',
            label: m.metrics,
            content: (
              <Suspense>
                <CardMetrics id={card.id} live={card.live} />
              </Suspense>
            ),
          },
          ...(can('operation:list') ? [{ key: 'tasks', label: m.tasks, content: <CardTasks id={card.id} /> }] : []),
          ...(sees(can, card, 'phone:screen')
            ? [{ key: 'screen', label: m.screen, content: <CardScreen id={card.id} name={nameOf(card)} /> }]
            : []),
          ...(sees(can, card, 'phone:files')
            ? [{ key: 'files', label: m.files, content: <CardFiles id={card.id} name={nameOf(card)} /> }]
            : []),
          ...(can('phoneSession:list')
            ? [
                {
                  key: 'sessions',
                  label: m.sessions,
                  content: (
                    <Suspense>
                      <SessionsOf cardId={card.id} />
                    </Suspense>
                  ),
                },
              ]
            : []),
          { key: 'timeline', label: m.timeline, content: <Timeline id={card.id} /> },
        ]}
        onClose={onClose}
      />
      {acts.host}
    </>
  )
}

/** The card at a glance: its figures, its record, and its screen while it can give one. */
function Overview({ card }: { card: Card }) {
  const can = useCan()
  const isOnline = card.networkStatus === networkStatus.value.online
  return (
    <div className="device-overview">
      <div>
        <CardFigures id={card.id} latest={card.live?.metrics} />
        <About card={card} />
      </div>
      {isOnline && sees(can, card, 'phone:screen') && (
        <aside>
          <CardScreen id={card.id} name={nameOf(card)} isBeside />
        </aside>
      )}
    </div>
  )
}

function About({ card }: { card: Card }) {
  return (
    <Facts
      wide={['remark', 'faultReason']}
      of={{
        address: addressOf(card.intranetIp, card.adbPort),
        extranet: addressOf(card.extranetIp, card.extranetPort),
        serial: <span className="sky-mono">{card.serial ?? '—'}</span>,
        lifecycle: <ChoiceLabel choices={lifecycle} value={card.lifecycle} />,
        phone: <ReferenceText of={card.phone} to={card.phone ? phonePath(card.phone.id) : undefined} />,
        room: <ReferenceText of={card.room} to={roomPath(card.roomId)} />,
        frame: <ReferenceText of={card.frame} />,
        chassisLocation: card.chassisLocation,
        host: <ReferenceText of={card.host} />,
        slot: card.slot,
        position: card.position,
        bladeAddress: <span className="sky-mono">{card.bladeAddress ?? '—'}</span>,
        manufacturer: card.manufacturer,
        model: card.model,
        board: card.board,
        image: <ReferenceText of={card.image} to={card.image ? imagePath(card.image.id) : undefined} />,
        size: card.size,
        isAssignable: <ChoiceLabel choices={yesNo} value={card.isAssignable} />,
        isOvercommit: <ChoiceLabel choices={yesNo} value={card.isOvercommit} />,
        createdAt: <TimeText at={card.createdAt} />,
        updatedAt: <TimeText at={card.updatedAt} />,
        faultReason: <FaultReason card={card} />,
        remark: card.remark,
      }}
    />
  )
}

/** Why the card is faulty: what somebody wrote, and the layers that do not answer. */
function FaultReason({ card }: { card: Card }) {
  const m = useMessages(messages)
  const { fields } = m
  const dead = layers.filter((layer) => card[layer] === fact.value.no).map((layer) => fields[layer])
  const isTrouble = [runStatus.value.fault, runStatus.value.offline].some((state) => state === card.runStatus)
  const told = [card.faultReason, isTrouble && dead.length > 0 ? m.dead(dead.join(m.and)) : ''].filter(Boolean)
  return <>{told.join('；')}</>
}

const layers = ['reached', 'tcpOpen', 'adbAnswers', 'booted'] as const

function Connectivity({ card }: { card: Card }) {
  const m = useMessages(messages)
  const shown = layers.map((layer, at) => {
    const misses = card.live?.against[at] ?? 0
    return [
      layer,
      <span key={layer} className="device-facts">
        <ChoiceLabel choices={fact} value={card[layer]} />
        {misses > 0 && <span className="sky-soft">{m.misses(misses)}</span>}
      </span>,
    ] as const
  })
  return (
    <Facts
      of={{
        networkStatus: <ChoiceLabel choices={networkStatus} value={card.networkStatus} />,
        networkSince: <TimeText at={card.networkSince} />,
        ...Object.fromEntries(shown),
        runStatus: <ChoiceLabel choices={runStatus} value={card.runStatus} />,
        runSince: <TimeText at={card.runSince} />,
        power: <ChoiceLabel choices={power} value={card.power} />,
        occupancy: <ChoiceLabel choices={occupancy} value={card.occupancy} />,
        markState: (
          <span className="device-facts">
            <ChoiceLabel choices={markState} value={card.markState} />
            {card.mark && <span className="sky-mono">{card.mark}</span>}
          </span>
        ),
        maintenance: (
          <span className="device-facts">
            <ChoiceLabel choices={maintenance} value={card.maintenance.state} />
            {card.maintenance.reason && <span className="sky-soft">{card.maintenance.reason}</span>}
          </span>
        ),
        seenAt: <TimeText at={card.live?.seenAt ?? null} />,
        bootedOkAt: <TimeText at={card.live?.bootedOkAt ?? null} />,
      }}
    />
  )
}

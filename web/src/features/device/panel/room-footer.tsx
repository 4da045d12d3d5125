import { lazy, Suspense, useState } from 'react'
import { Link } from 'react-router'
import { useCan } from '@/access/permissions'
import { useLanguage } from '@/i18n/language'
import { inLanguage, useMessages } from '@/i18n/messages'
import { grouped } from '@/rules/format'
import { StateChip } from '@/ui/state-chip'
import { runStatus } from '../choices'
import { roomPath } from '../links'
import { quickActs } from '../quick-acts'
import type { PlaceNode } from './cells'
import { messages } from './messages'
import { type Worst, worstOf } from './worst'

/** Acts bring their questions and forms: they come when one is begun. */
const QuickAct = lazy(() => import('../quick-act'))

const powerCycle = quickActs.find(({ kind, name }) => kind === 'host' && name === 'powerCycle')

interface RoomFooterProps {
  room: PlaceNode
  frames: readonly PlaceNode[]
  /** All places of the room; none until they have arrived. */
  nodes: readonly PlaceNode[]
}

/**
 * The worst thing in a room in words, with its act: a lost host is power-cycled, cards in trouble are shown, alone and
 * selected.
 */
export function RoomFooter({ room, frames, nodes }: RoomFooterProps) {
  const m = useMessages(messages)
  const worst = worstOf(nodes.length > 0 ? nodes : frames)
  if (!worst) return <span className="panel-worst panel-well">✓ {m.allWell}</span>
  const text =
    worst.kind === 'hostLost'
      ? m.hostLost(worst.frame.name, worst.host?.name ?? '')
      : m[worst.kind](worst.frame.name, grouped(worst.count))
  const way = wayTo(room, worst)
  const look = m[lookOf[worst.kind]]
  return (
    <>
      <span className="panel-worst">
        <StateChip state={stateOf[worst.kind]} /> {text}
      </span>
      <Link className="panel-act" to={way} aria-label={`${look}: ${text}`}>
        {look}
      </Link>
      {worst.host && <PowerCycle host={worst.host} target={text} />}
    </>
  )
}

const stateOf = { hostLost: 'offline', fault: 'fault', offline: 'offline', maintenance: 'maintenance' } as const
const lookOf = {
  hostLost: 'look',
  fault: 'lookFaulty',
  offline: 'lookOffline',
  maintenance: 'lookMaintained',
} as const

/** A host and all of its cards that are lost come back by their power, or not at all. */
function PowerCycle({ host, target }: { host: PlaceNode; target: string }) {
  const can = useCan()
  const language = useLanguage()
  // Each time is a new one: what was cancelled can be begun again.
  const [turn, setTurn] = useState(0)
  if (!powerCycle || !can(powerCycle.need)) return null
  return (
    <>
      <button type="button" className="panel-act" onClick={() => setTurn(turn + 1)}>
        {inLanguage(powerCycle.label, language)}
      </button>
      {turn > 0 && (
        <Suspense fallback={null}>
          <QuickAct
            key={turn}
            act={powerCycle}
            id={host.id}
            title={host.name}
            target={target}
            onClose={() => setTurn(0)}
          />
        </Suspense>
      )}
    </>
  )
}

function wayTo(room: PlaceNode, { kind, frame, host }: Worst): string {
  const way = `${roomPath(room.id)}&frame=${frame.id}`
  if (host) return `${way}&host=${host.id}`
  return kind === 'hostLost' ? way : `${way}&status=${runStatus.value[kind]}`
}

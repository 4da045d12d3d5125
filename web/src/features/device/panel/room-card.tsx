import { type ReactNode, useMemo, useRef } from 'react'
import { Link } from 'react-router'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { ChoiceLabel } from '@/kit/choices'
import { grouped } from '@/rules/format'
import { useSeen } from '@/ui/use-seen'
import { maintenance } from '../choices'
import { roomPath } from '../links'
import { AgentFooter } from './agent-footer'
import { AgentTag } from './agent-tag'
import { byPlace, hostsOf, type PlaceNode } from './cells'
import { Course } from './course'
import { FrameMini, rowsOf } from './frame-mini'
import { messages } from './messages'
import { miniOf } from './mini'
import { RoomFooter } from './room-footer'
import { shareInUse } from './trouble'
import { useWidth } from './use-width'
import { isHot } from './worst'

interface RoomCardProps {
  room: PlaceNode
  frames: readonly PlaceNode[]
  only: number | undefined
}

/** A room: its figures, its frames as small pictures, and the worst thing in it. */
export function RoomCard({ room, frames, only }: RoomCardProps) {
  const m = useMessages(messages)
  const card = useRef<HTMLLIElement>(null)
  const pictures = useRef<HTMLDivElement>(null)
  const width = useWidth(pictures, 540)
  const enabled = useSeen(card)
  const { data: nodes = [] } = useApiQuery('fleetTree', { query: { roomId: room.id, whole: true } }, { enabled })
  const { data: cards } = useApiQuery('fleetCells', { query: { roomId: room.id } }, { enabled })
  const places = useMemo(() => byPlace(cards ?? []), [cards])
  const hosts = useMemo(() => hostsOf(nodes), [nodes])
  const layout = useMemo(() => miniOf(frames, hosts, width), [frames, hosts, width])
  const { counts } = room
  const attention = counts.fault + counts.offline
  const isCut = room.agents === 0
  return (
    <li ref={card} className="panel-card" data-cut={isCut || undefined}>
      <header>
        <strong className="panel-name">
          <Link to={roomPath(room.id)}>{room.name}</Link>
        </strong>
        <span className="sky-soft">{[room.place, m.frames(frames.length)].filter(Boolean).join(' · ')}</span>
        <span className="kit-gap" />
        {room.maintenance !== maintenance.value.none && <ChoiceLabel choices={maintenance} value={room.maintenance} />}
        <AgentTag agents={room.agents ?? 0} />
        <span className="panel-enter" aria-hidden>
          {m.enter} ›
        </span>
      </header>
      <div className="panel-summary">
        <dl className="panel-figures">
          <Figure label={m.online} more={`/ ${grouped(counts.total)}`}>
            {grouped(counts.online)}
          </Figure>
          <Figure label={m.inUse} more={`${shareInUse(counts)}%`}>
            {grouped(counts.inUse)}
          </Figure>
          <Figure label={m.idle}>{grouped(counts.idle)}</Figure>
          <Figure label={m.attention}>
            <span className={attention > 0 ? 'panel-bad' : undefined}>{grouped(attention)}</span>
          </Figure>
        </dl>
        <Course room={room.id} enabled={enabled && !isCut} />
      </div>
      <div ref={pictures} className="panel-minis" style={{ gridTemplateColumns: `repeat(${layout.columns}, 1fr)` }}>
        {frames.map((frame) => (
          <FrameMini
            key={frame.id}
            room={room.id}
            frame={frame}
            rows={rowsOf(layout.hosts.get(frame.id) ?? [], places)}
            block={layout.block}
            only={only}
            isHot={!isCut && isHot(frame, nodes)}
          />
        ))}
      </div>
      <footer>{isCut ? <AgentFooter room={room} /> : <RoomFooter room={room} frames={frames} nodes={nodes} />}</footer>
    </li>
  )
}

function Figure(props: { label: string; more?: string; children: ReactNode }) {
  return (
    <div>
      <dt>{props.label}</dt>
      <dd>
        {props.children} {props.more && <small>{props.more}</small>}
      </dd>
    </div>
  )
}

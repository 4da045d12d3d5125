import '@/kit/kit.css'
import './panel.css'
import { Link, useSearchParams } from 'react-router'
import type { DataOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { ChoiceLabel } from '@/kit/choices'
import { Loaded } from '@/kit/loaded'
import { grouped } from '@/rules/format'
import { Placeholder } from '@/ui/placeholder'
import { maintenance, runStatus } from '../choices'
import { statusKeys } from '../counts'
import { useLiveCards } from '../live'
import { messages } from './messages'
import { looks } from './paint'
import { RoomPanel } from './room'

type Node = DataOf<'fleetTree'>[number]

/** The rooms as tiles, and each as its racks stand. The address says which room is open. */
export default function PanelPage() {
  const m = useMessages(messages)
  const [search] = useSearchParams()
  const rooms = useApiQuery('fleetTree', { query: {} })
  useLiveCards(['fleetTree'])
  return (
    <section className="panel" aria-label={m.title}>
      <Loaded query={rooms}>
        {(found) => {
          const room = found.find(({ id }) => String(id) === search.get('room'))
          if (!room) return <Rooms rooms={found} />
          return (
            <>
              <header className="panel-head">
                <Link className="sky-link" to="/device/panel">
                  {m.rooms}
                </Link>
                <h2>{room.name}</h2>
                <span className="sky-soft">{m.cards(grouped(room.counts.total))}</span>
              </header>
              <RoomPanel key={room.id} id={room.id} name={room.name} />
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

function Rooms({ rooms }: { rooms: readonly Node[] }) {
  const m = useMessages(messages)
  if (rooms.length === 0) return <Placeholder title={m.noRooms} hint={m.noRoomsHint} />
  return (
    <ul className="panel-rooms">
      {rooms.map((room) => (
        <li key={room.id}>
          <Link className="panel-room" to={`/device/panel?room=${room.id}`}>
            <strong>{room.name}</strong>
            <span className="sky-soft">{room.place}</span>
            <span>
              {m.cards(grouped(room.counts.total))} · {m.online(grouped(room.counts.online))}
            </span>
            <Shares node={room} />
            <span className="sky-soft">{room.agents ? m.agents(room.agents) : m.noAgent}</span>
            {room.maintenance !== maintenance.value.none && (
              <ChoiceLabel choices={maintenance} value={room.maintenance} />
            )}
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** How the cards of a place are, as shares of a bar and in numbers. */
function Shares({ node }: { node: Node }) {
  const shares = runStatus.list.map(({ value }) => ({ value, count: node.counts[statusKeys[value]] }))
  return (
    <>
      <span className="panel-bar" aria-hidden>
        {shares.map(({ value, count }) => (
          <span key={value} style={{ flexGrow: count, background: looks[value]?.colour ?? '' }} />
        ))}
      </span>
      <span className="panel-shares">
        {shares
          .filter(({ count }) => count > 0)
          .map(({ value, count }) => (
            <span key={value}>
              <span className="panel-swatch" style={{ background: looks[value]?.colour ?? '' }} aria-hidden>
                {looks[value]?.sign}
              </span>
              <ChoiceText value={value} /> {grouped(count)}
            </span>
          ))}
      </span>
    </>
  )
}

function ChoiceText({ value }: { value: number }) {
  const label = runStatus.find(value)?.label
  return label ? <ChoiceLabel choices={{ list: [], find: () => ({ value, label }) }} value={value} /> : null
}

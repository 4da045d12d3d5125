import { Suspense } from 'react'
import { Link } from 'react-router'
import type { DataOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { words } from '@/api/words/RunStatus'
import { NoRooms, roomPath } from '@/features/device/links'
import { useLanguage } from '@/i18n/language'
import { inLanguage, useMessages } from '@/i18n/messages'
import { Loaded } from '@/kit/loaded'
import { grouped, relativeTime } from '@/rules/format'
import { StateChip } from '@/ui/state-chip'
import { stateLooks } from '@/ui/states'
import { messages } from './messages'

type Place = DataOf<'fleetTree'>[number]

const states = Object.keys(words) as (keyof typeof words)[]
/** What is counted beside a room: neither idle nor in use is news. */
const told = states.filter((state) => state !== 'idle' && state !== 'inUse')
const trouble = ({ counts }: Place) => counts.fault + counts.offline

/** Every room with its frames as bars of states, those first that somebody has to see to. */
export function RoomHealth() {
  const places = useApiQuery('fleetTree', { query: { whole: true } }, { keepPrevious: true, refetchInterval: 15_000 })
  return (
    <Loaded query={places}>
      {(found) => {
        const rooms = found.filter(({ kind }) => kind === 'room').toSorted((a, b) => trouble(b) - trouble(a))
        if (rooms.length === 0)
          return (
            <Suspense>
              <NoRooms />
            </Suspense>
          )
        return (
          <ul className="dashboard-rooms">
            {rooms.map((room) => (
              <Room
                key={room.id}
                room={room}
                frames={found.filter(({ kind, parentId }) => kind === 'frame' && parentId === room.id)}
              />
            ))}
          </ul>
        )
      }}
    </Loaded>
  )
}

function Room({ room, frames }: { room: Place; frames: readonly Place[] }) {
  const m = useMessages(messages)
  const language = useLanguage()
  const { counts } = room
  const isCut = room.agents === 0
  const share = counts.total === 0 ? 0 : Math.round((counts.inUse / counts.total) * 100)
  return (
    <li className="dashboard-room" data-cut={isCut || undefined}>
      <div className="dashboard-room-name">
        <Link to={roomPath(room.id)} title={room.name}>
          {room.name}
        </Link>
        {isCut ? (
          <LastHeard at={room.heard?.at ?? null} />
        ) : (
          <span className="dashboard-room-line">
            {m.roomLine(`${grouped(counts.online)} / ${grouped(counts.total)}`, share)}
          </span>
        )}
      </div>
      <div className="dashboard-frames">
        {frames.map((frame) => (
          <Link
            key={frame.id}
            to={`${roomPath(room.id)}&frame=${frame.id}`}
            aria-label={said(frame)}
            title={said(frame)}
          >
            {states.map((state) => (
              <span
                key={state}
                style={{ flex: `${frame.counts[state]} 0 0`, background: `var(--st-${stateLooks[state].token})` }}
              />
            ))}
          </Link>
        ))}
      </div>
      <div className="dashboard-states">
        {told
          .filter((state) => counts[state] > 0)
          .map((state) => (
            <span key={state} className="dashboard-state" title={inLanguage(words[state].label, language)}>
              <StateChip state={state} />
              <span className="visually-hidden">{inLanguage(words[state].label, language)}</span>
              {grouped(counts[state])}
            </span>
          ))}
      </div>
    </li>
  )

  function said(frame: Place) {
    const parts = states
      .filter((state) => frame.counts[state] > 0)
      .map((state) => `${inLanguage(words[state].label, language)} ${grouped(frame.counts[state])}`)
    return [frame.name, ...parts].join(' · ')
  }
}

/** When a room without an agent was last heard of, as far as one may know. */
function LastHeard({ at }: { at: string | null }) {
  const m = useMessages(messages)
  const language = useLanguage()
  return (
    <span className="dashboard-room-line">
      {at ? m.lastHeard(relativeTime(new Date(at), new Date(), language)) : m.neverHeard}
    </span>
  )
}

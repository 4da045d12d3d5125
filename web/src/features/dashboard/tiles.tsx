import { Link } from 'react-router'
import { useCan } from '@/access/permissions'
import { useMessages } from '@/i18n/messages'
import { grouped } from '@/rules/format'
import { messages } from './messages'
import type { Dashboard } from './page'

interface Tile {
  label: string
  value: number
  /** Where the number comes from; a link for those who may go there. */
  to: string
  need: string
  /** It wants somebody's attention. */
  isBad?: boolean
}

function startOfToday() {
  const day = new Date()
  day.setHours(0, 0, 0, 0)
  return encodeURIComponent(day.toISOString())
}

/** The numbers of the moment and of today. */
export function Tiles({ data }: { data: Dashboard }) {
  const m = useMessages(messages)
  const { counts, today } = data
  const since = startOfToday()
  const { ofCards, ofRooms } = useFleetTiles(data.fleet)
  const users: Tile[] = [
    { label: m.clientUsers, value: counts.clientUsers, to: '/clientUser', need: 'clientUser:list' },
    {
      label: m.clientUsersActive,
      value: counts.clientUsersActive,
      to: '/clientUser?status=1',
      need: 'clientUser:list',
    },
    {
      label: m.clientUsersDisabled,
      value: counts.clientUsersDisabled,
      to: '/clientUser?status=2',
      need: 'clientUser:list',
    },
    {
      label: `${m.today} · ${m.registrations}`,
      value: today.registrations,
      to: `/clientUser/records?kind=1&startTime=${since}`,
      need: 'clientUserRecord:list',
    },
    {
      label: `${m.today} · ${m.signIns}`,
      value: today.signIns,
      to: `/clientUser/records?kind=2&startTime=${since}`,
      need: 'clientUserRecord:list',
    },
    {
      label: m.logoutRequestsOpen,
      value: counts.logoutRequestsOpen,
      to: '/clientUser/loggedOut?status=1',
      need: 'clientUserLogout:list',
    },
  ]
  const ofConsole: Tile[] = [
    { label: m.tasksRunning, value: counts.tasksRunning, to: '/tasks?state=running', need: 'task:list' },
    { label: m.operatorsOnline, value: counts.operatorsOnline, to: '/user/management', need: 'operator:list' },
  ]
  return (
    <>
      {ofCards.length > 0 && <TileRow label={m.fleet} tiles={ofCards} />}
      <TileRow label={m.now} tiles={[...ofRooms, ...ofConsole]} />
      <TileRow label={m.clientUsers} tiles={users} />
    </>
  )
}

/** How the cards are, and the rooms with what is under way in them; each number leads to what it counts. */
function useFleetTiles(fleet: Dashboard['fleet']): { ofCards: Tile[]; ofRooms: Tile[] } {
  const m = useMessages(messages)
  if (!fleet) return { ofCards: [], ofRooms: [] }
  const { rooms, roomsConnected, cards, operations, findings } = fleet
  const list = '/device/management'
  const need = 'device:list'
  return {
    ofCards: [
      { label: m.cards, value: cards.total, to: '/device/panel', need },
      { label: m.online, value: cards.online, to: `${list}?networkStatus=1`, need },
      { label: m.inUse, value: cards.inUse, to: `${list}?runStatus=2`, need },
      { label: m.idle, value: cards.idle, to: `${list}?runStatus=1`, need },
      { label: m.fault, value: cards.fault, to: `${list}?runStatus=4`, need, isBad: cards.fault > 0 },
      { label: m.offline, value: cards.offline, to: `${list}?runStatus=6`, need, isBad: cards.offline > 0 },
      { label: m.maintenance, value: cards.maintenance, to: `${list}?runStatus=3`, need },
    ],
    ofRooms: [
      { label: m.rooms, value: rooms, to: '/device/address', need: 'room:list' },
      { label: m.roomsAway, value: rooms - roomsConnected, to: '/device/address', need: 'room:list' },
      { label: m.operations, value: operations, to: '/device/operations', need: 'operation:list' },
      { label: m.findings, value: findings, to: '/device/discovered', need: 'finding:list' },
    ],
  }
}

function TileRow({ label, tiles }: { label: string; tiles: readonly Tile[] }) {
  return (
    <section className="dashboard-tiles" aria-label={label}>
      {tiles.map((tile) => (
        <TileCard key={tile.label} tile={tile} />
      ))}
    </section>
  )
}

function TileCard({ tile }: { tile: Tile }) {
  const can = useCan()
  const content = (
    <>
      <span className="dashboard-label">{tile.label}</span>
      <strong data-bad={tile.isBad || undefined}>{grouped(tile.value)}</strong>
    </>
  )
  return can(tile.need) ? (
    <Link className="dashboard-tile" to={tile.to}>
      {content}
    </Link>
  ) : (
    <div className="dashboard-tile">{content}</div>
  )
}

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
  const tiles: Tile[] = [
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
    { label: m.tasksRunning, value: counts.tasksRunning, to: '/tasks?state=running', need: 'task:list' },
    { label: m.operatorsOnline, value: counts.operatorsOnline, to: '/user/management', need: 'operator:list' },
  ]
  return (
    <>
      {data.fleet && <FleetTiles fleet={data.fleet} />}
      <TileRow label={m.title} tiles={tiles} />
    </>
  )
}

type Fleet = NonNullable<Dashboard['fleet']>

/** The numbers of rooms and cards; each leads to what it counts. */
function FleetTiles({ fleet }: { fleet: Fleet }) {
  const m = useMessages(messages)
  const { rooms, roomsConnected, cards, operations, findings } = fleet
  const list = '/device/management'
  const need = 'device:list'
  const tiles: Tile[] = [
    { label: m.cards, value: cards.total, to: '/device/panel', need },
    { label: m.online, value: cards.online, to: `${list}?networkStatus=1`, need },
    { label: m.inUse, value: cards.inUse, to: `${list}?runStatus=2`, need },
    { label: m.idle, value: cards.idle, to: `${list}?runStatus=1`, need },
    { label: m.fault, value: cards.fault, to: `${list}?runStatus=4`, need, isBad: cards.fault > 0 },
    { label: m.offline, value: cards.offline, to: `${list}?runStatus=6`, need, isBad: cards.offline > 0 },
    { label: m.maintenance, value: cards.maintenance, to: `${list}?runStatus=3`, need },
    { label: m.rooms, value: rooms, to: '/device/address', need: 'room:list' },
    { label: m.roomsAway, value: rooms - roomsConnected, to: '/device/address', need: 'room:list' },
    { label: m.operations, value: operations, to: '/device/operations', need: 'operation:list' },
    { label: m.findings, value: findings, to: '/device/discovered', need: 'finding:list' },
  ]
  return <TileRow label={m.fleet} tiles={tiles} />
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

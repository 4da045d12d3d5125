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
    <section className="dashboard-tiles" aria-label={m.title}>
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
      <strong>{grouped(tile.value)}</strong>
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

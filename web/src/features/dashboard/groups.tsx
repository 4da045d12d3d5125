import { useMessages } from '@/i18n/messages'
import { grouped } from '@/rules/format'
import { dayBegin, dayValues, type FleetPoint, slotOf } from './curve'
import type { Dashboard } from './data'
import { messages } from './messages'
import { type Tile, Tiles } from './tiles'
import { useFleetDay } from './use-fleet-day'

const bad = (count: number) => (count > 0 ? ('bad' as const) : undefined)
const warn = (count: number) => (count > 0 ? ('warn' as const) : undefined)

/** How the cards are. */
export function FleetTiles({ fleet }: { fleet: NonNullable<Dashboard['fleet']> }) {
  const m = useMessages(messages)
  const { today, now, live } = useFleetDay()
  const { cards } = fleet
  const list = '/device/management'
  const need = 'device:list'
  const course = (figure: (point: FleetPoint) => number) =>
    live.data && dayValues(live.data, today, figure).slice(0, slotOf(today, now) + 1)
  const tiles: Tile[] = [
    {
      label: m.online,
      value: cards.online,
      to: `${list}?networkStatus=1`,
      need,
      note: m.of(grouped(cards.total)),
      course: course(({ online }) => online),
    },
    { label: m.inUse, value: cards.inUse, to: `${list}?runStatus=2`, need, course: course(({ inUse }) => inUse) },
    { label: m.idle, value: cards.idle, to: `${list}?runStatus=1`, need, course: course(({ idle }) => idle) },
    {
      label: m.fault,
      value: cards.fault,
      to: `${list}?runStatus=4`,
      need,
      tone: bad(cards.fault),
      course: course(({ fault }) => fault),
    },
    {
      label: m.offline,
      value: cards.offline,
      to: `${list}?runStatus=6`,
      need,
      tone: bad(cards.offline),
      course: course(({ offline }) => offline),
    },
    { label: m.maintenance, value: cards.maintenance, to: `${list}?runStatus=3`, need },
  ]
  return <Tiles tiles={tiles} />
}

/** What is under way, and what waits for somebody. */
export function WorkTiles({ data: { fleet, counts } }: { data: Dashboard }) {
  const m = useMessages(messages)
  const ofFleet: Tile[] = fleet
    ? [
        {
          label: m.roomsAway,
          value: fleet.rooms - fleet.roomsConnected,
          to: '/device/address',
          need: 'room:list',
          note: m.of(grouped(fleet.rooms)),
          tone: bad(fleet.rooms - fleet.roomsConnected),
        },
        { label: m.operations, value: fleet.operations, to: '/device/operations', need: 'operation:list' },
        {
          label: m.findings,
          value: fleet.findings,
          to: '/device/discovered',
          need: 'finding:list',
          tone: warn(fleet.findings),
        },
      ]
    : []
  const ofConsole: Tile[] = [
    { label: m.tasksRunning, value: counts.tasksRunning, to: '/tasks?state=running', need: 'task:list' },
    { label: m.operatorsOnline, value: counts.operatorsOnline, to: '/user/management', need: 'operator:list' },
  ]
  return <Tiles tiles={[...ofFleet, ...ofConsole]} />
}

/** Client users: what they did today, and how they are. */
export function CustomerTiles({ data: { counts, today, trend } }: { data: Dashboard }) {
  const m = useMessages(messages)
  const since = encodeURIComponent(dayBegin(new Date()).toISOString())
  const users = 'clientUser:list'
  const records = 'clientUserRecord:list'
  const tiles: Tile[] = [
    {
      label: m.registeredToday,
      value: today.registrations,
      to: `/clientUser/records?kind=1&startTime=${since}`,
      need: records,
      course: trend.map(({ registrations }) => registrations),
    },
    {
      label: m.signedInToday,
      value: today.signIns,
      to: `/clientUser/records?kind=2&startTime=${since}`,
      need: records,
      course: trend.map(({ signIns }) => signIns),
    },
    {
      label: m.clientUsersActive,
      value: counts.clientUsersActive,
      to: '/clientUser?status=1',
      need: users,
      note: m.of(grouped(counts.clientUsers)),
    },
    { label: m.clientUsersDisabled, value: counts.clientUsersDisabled, to: '/clientUser?status=2', need: users },
    {
      label: m.logoutRequestsOpen,
      value: counts.logoutRequestsOpen,
      to: '/clientUser/loggedOut?status=1',
      need: 'clientUserLogout:list',
      tone: warn(counts.logoutRequestsOpen),
    },
  ]
  return <Tiles tiles={tiles} />
}

import { lazy } from 'react'
import { Link } from 'react-router'
import { firstOfList, listSource } from '@/kit/reference/source'

/** Stands where rooms would be, and leads to where they are made. */
export const NoRooms = lazy(async () => ({ default: (await import('./no-rooms')).NoRooms }))

/** Where a card is seen. */
export const cardPath = (id: number | string) => `/device/management?detail=${id}`

/** A card's address, leading to its detail. */
export function CardLink({ id, name }: { id: number; name: string }) {
  return (
    <Link className="sky-link sky-mono" to={cardPath(id)}>
      {name}
    </Link>
  )
}

const agentName = (agent: { name: string; room: { name?: string | null } }) =>
  `${agent.room.name ?? ''} · ${agent.name}`

/** The room agents that were not revoked. */
export const agents = listSource('roomAgentList', {
  name: agentName,
  need: 'roomAgent:list',
  within: { revoked: false },
  find: async (id) => {
    const agent = await firstOfList('roomAgentList', { agentId: id })
    return agent && { id: agent.id, name: agentName(agent) }
  },
})

/** The screen and the files of a card, for whoever shows what is on it. */
export const CardScreen = lazy(async () => ({ default: (await import('./management/tasks')).CardScreen }))
export const CardFiles = lazy(async () => ({ default: (await import('./management/files')).CardFiles }))

/** Where an operation is seen: its progress and results. */
export const operationPath = (id: number | string) => `/device/operations/${id}`

/** Where a room is seen: its racks on the panel. */
export const roomPath = (id: number | string) => `/device/panel?room=${id}`

/** Where a frame is seen: the cards in it. */
export const framePath = (id: number | string) => `/device/management?frameId=${id}`

/** A number of cards, leading to the list of them. */
export function CardsLink({ filter, children }: { filter: Record<string, number | boolean>; children: string }) {
  const search = new URLSearchParams(Object.entries(filter).map(([key, value]) => [key, String(value)]))
  return (
    <Link className="sky-link" to={`/device/management?${search}`}>
      {children}
    </Link>
  )
}

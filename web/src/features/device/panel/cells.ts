import { useQueryClient } from '@tanstack/react-query'
import type { DataOf } from '@/api/call'
import { runStatus } from '../choices'
import { useLiveCards } from '../live'
import type { RackHost } from './layout'

export type CardCell = DataOf<'fleetCells'>[number]
export type PlaceNode = DataOf<'fleetTree'>[number]

/** Where a card sits, as a key. */
export const placeKey = (host: number, position: number) => `${host}.${position}`

/** The cards by where they sit. */
export const byPlace = (cards: readonly CardCell[]): ReadonlyMap<string, CardCell> =>
  new Map(cards.map((card) => [placeKey(card.hostId, card.position), card]))

/** The hosts among the places of a room, as they are drawn. */
export const hostsOf = (nodes: readonly PlaceNode[]): RackHost[] =>
  nodes.flatMap(({ kind, id, parentId, place, size, name }) =>
    kind === 'host' && parentId ? [{ id, frame: parentId, slot: Number(place) || 0, name, positions: size ?? 0 }] : [],
  )

export const { value: statusOf } = runStatus

/** Whether somebody has to see to a card of this status. */
export const isTrouble = (status: number) => status === statusOf.fault || status === statusOf.offline

/** Keeps every cell on screen current, and the counts a moment later. */
export function useLiveCells() {
  const client = useQueryClient()
  useLiveCards(['fleetTree'], (deltas) => {
    const found = new Map(deltas.map((delta) => [delta.id, delta]))
    client.setQueriesData<CardCell[]>({ queryKey: ['fleetCells'] }, (cards) =>
      cards?.some((card) => found.has(card.id))
        ? cards.map((card) => {
            const delta = found.get(card.id)
            if (!delta) return card
            const { runStatus, networkStatus, isAssignable, isOvercommit } = delta
            return { ...card, runStatus, networkStatus, isAssignable, isOvercommit }
          })
        : cards,
    )
  })
}

/** The hosts that the address points at: one, or all of a frame. */
export function hostsOfAddress(search: URLSearchParams, nodes: readonly PlaceNode[]): ReadonlySet<number> {
  const [host, frame] = [Number(search.get('host')), Number(search.get('frame'))]
  return new Set(hostsOf(nodes).flatMap(({ id, frame: parent }) => (id === host || parent === frame ? [id] : [])))
}

import { useQueryClient } from '@tanstack/react-query'
import type { OperationId, RowOf } from '@/api/call'
import { refreshQueries } from '@/api/query'
import { useEvents } from '@/api/use-events'
import { useRefreshSoon } from '@/api/use-refresh-soon'

type Card = RowOf<'cardList'>

/** What an event says of a card: the facts that a row or a cell shows. */
export type CardDelta = Pick<
  Card,
  | 'id'
  | 'roomId'
  | 'lifecycle'
  | 'power'
  | 'occupancy'
  | 'isAssignable'
  | 'isOvercommit'
  | 'runStatus'
  | 'runSince'
  | 'networkStatus'
  | 'networkSince'
> & { hostId?: number | null; position?: number | null; maintenance: number }

const isDeltas = (data: unknown): data is CardDelta[] =>
  Array.isArray(data) && data.every((each) => typeof each === 'object' && each !== null && 'id' in each)

/** A row with what has become of it. The maintenance of a delta is its state alone; the rest of it stays. */
export function patched(row: Card, delta: CardDelta): Card {
  const { maintenance, position, hostId, ...facts } = delta
  return {
    ...row,
    ...facts,
    ...(position === undefined ? {} : { position }),
    ...(hostId === undefined ? {} : { hostId }),
    maintenance: { ...row.maintenance, state: maintenance as Card['maintenance']['state'] },
  }
}

/** The shortest time between two refreshes of the counts, in milliseconds. */
const pause = 2000

/**
 * Keeps the cards on screen current: rows are patched in place, and `also` is reloaded a moment later.
 * `onDeltas` hears them too.
 */
export function useLiveCards(also: readonly OperationId[], onDeltas?: (deltas: CardDelta[]) => void) {
  const client = useQueryClient()
  const refresh = useRefreshSoon(also, pause)
  useEvents(
    'fleet',
    ({ type, data }) => {
      if (type !== 'cards' || !isDeltas(data)) return
      const found = new Map(data.map((delta) => [delta.id, delta]))
      client.setQueriesData<{ list: Card[] }>({ queryKey: ['cardList'] }, (page) =>
        page?.list.some(({ id }) => found.has(id))
          ? {
              ...page,
              list: page.list.map((row) => {
                const delta = found.get(row.id)
                return delta ? patched(row, delta) : row
              }),
            }
          : page,
      )
      onDeltas?.(data)
      refresh()
    },
    () => void refreshQueries(client, ['cardList', ...also]),
  )
}

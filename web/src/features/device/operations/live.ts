import type { OperationId } from '@/api/call'
import { useEvents } from '@/api/use-events'
import { useRefreshSoon } from '@/api/use-refresh-soon'

/** The shortest time between two refreshes, in milliseconds. */
const usualPause = 500

const isAbout = (data: unknown): data is { id: number } => typeof data === 'object' && data !== null && 'id' in data

/** Keeps operations on screen as they are; with `id`, that one alone. `pause` is the shortest time between two reads. */
export function useLiveOperations(reads: readonly OperationId[], id?: number, pause: number = usualPause) {
  const refresh = useRefreshSoon(reads, pause)
  useEvents(
    'operation',
    ({ data }) => {
      if (id === undefined || (isAbout(data) && data.id === id)) refresh()
    },
    refresh,
  )
}

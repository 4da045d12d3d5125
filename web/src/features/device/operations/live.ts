import type { QueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import type { OperationId } from '@/api/call'
import { refreshQueries } from '@/api/query'
import { useEvents } from '@/api/use-events'

/** The shortest time between two refreshes of what is small, in milliseconds. */
const usualPause = 500

const isAbout = (data: unknown): data is { id: number } => typeof data === 'object' && data !== null && 'id' in data

/** Keeps operations on screen as they are; with `id`, that one alone. `pause` is the shortest time between two reads. */
export function useLiveOperations(
  client: QueryClient,
  reads: readonly OperationId[],
  id?: number,
  pause: number = usualPause,
) {
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined)
  const reload = () => {
    waiting.current ??= setTimeout(() => {
      waiting.current = undefined
      void refreshQueries(client, reads)
    }, pause)
  }
  useEvents(
    'operation',
    ({ data }) => {
      if (id === undefined || (isAbout(data) && data.id === id)) reload()
    },
    reload,
  )
}

import type { QueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import type { OperationId } from '@/api/call'
import { refreshQueries } from '@/api/query'
import { useEvents } from '@/api/use-events'

/** What is shown follows so often at most, in milliseconds. */
const pause = 500

const isAbout = (data: unknown): data is { id: number } => typeof data === 'object' && data !== null && 'id' in data

/** Keeps operations on screen as they are; with `id`, that one alone. */
export function useLiveOperations(client: QueryClient, reads: readonly OperationId[], id?: number) {
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

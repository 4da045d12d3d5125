import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { OperationId } from './call'
import { refreshQueries } from './query'

/** Gives a function that reads calls again after `pause` milliseconds: once, however often it was called meanwhile. */
export function useRefreshSoon(reads: readonly OperationId[], pause: number) {
  const client = useQueryClient()
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined)
  // A page that is gone reads nothing any more.
  useEffect(
    () => () => {
      clearTimeout(waiting.current)
      waiting.current = undefined
    },
    [],
  )
  return () => {
    waiting.current ??= setTimeout(() => {
      waiting.current = undefined
      void refreshQueries(client, reads)
    }, pause)
  }
}

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { refreshQueries } from '@/api/query'
import { useEvents } from '@/api/use-events'

/** The shortest time between two refreshes, in milliseconds. */
const pause = 1000
const shown = ['phoneList', 'phoneGet', 'phoneCounts', 'phoneSagas'] as const

/** Keeps phones on screen current while something is done to them. */
export function useLivePhones() {
  const client = useQueryClient()
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined)
  // A page that is gone refreshes nothing any more.
  useEffect(() => () => clearTimeout(waiting.current), [])
  const later = () => {
    waiting.current ??= setTimeout(() => {
      waiting.current = undefined
      void refreshQueries(client, shown)
    }, pause)
  }
  useEvents('saga', later, later)
}

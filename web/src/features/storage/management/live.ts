import { useEvents } from '@/api/use-events'
import { useRefreshSoon } from '@/api/use-refresh-soon'

/** The shortest time between two refreshes, in milliseconds. */
const pause = 1000
const shown = ['storeNodeList', 'storeNodeGet', 'storeNodeUsage'] as const

/** Keeps storage nodes on screen current. */
export function useLiveNodes() {
  const refresh = useRefreshSoon(shown, pause)
  useEvents('storage', refresh, refresh)
}

import { useEvents } from '@/api/use-events'
import { useRefreshSoon } from '@/api/use-refresh-soon'

/** The shortest time between two refreshes, in milliseconds. */
const pause = 1000
const shown = ['phoneSessionList'] as const

/** Keeps sessions on screen current while phones come and go, and people with them. */
export function useLiveSessions() {
  const refresh = useRefreshSoon(shown, pause)
  useEvents('saga', refresh, refresh)
}

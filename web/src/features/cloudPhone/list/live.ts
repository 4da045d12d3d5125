import { useEvents } from '@/api/use-events'
import { useRefreshSoon } from '@/api/use-refresh-soon'

/** The shortest time between two refreshes, in milliseconds. */
const pause = 1000
const shown = ['phoneList', 'phoneGet', 'phoneCounts', 'phoneSagas'] as const

/** Keeps phones on screen current while something is done to them. */
export function useLivePhones() {
  const refresh = useRefreshSoon(shown, pause)
  useEvents('saga', refresh, refresh)
}

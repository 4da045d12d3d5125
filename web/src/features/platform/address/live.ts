import { useEvents } from '@/api/use-events'
import { useRefreshSoon } from '@/api/use-refresh-soon'

/** The shortest time between two refreshes, in milliseconds. */
const pause = 1000
const shown = ['serviceAddressList'] as const

/** Keeps it current on screen which gateways are silent. */
export function useLiveAddresses() {
  const refresh = useRefreshSoon(shown, pause)
  useEvents('gateway', refresh, refresh)
}

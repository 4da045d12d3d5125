import { useEvents } from '@/api/use-events'
import { useRefreshSoon } from '@/api/use-refresh-soon'

/** The shortest time between two refreshes, in milliseconds. */
const pause = 1000
const shown = ['backupList', 'backupGet'] as const

/** Keeps copies on screen current while they are made. */
export function useLiveBackups() {
  const refresh = useRefreshSoon(shown, pause)
  useEvents('backup', refresh, refresh)
  // How far a copy is comes with what is done to its phone.
  useEvents('saga', refresh, refresh)
}

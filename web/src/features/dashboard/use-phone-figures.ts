import { useCan } from '@/access/permissions'
import { useApiQuery } from '@/api/query'
import { useEvents } from '@/api/use-events'
import { useRefreshSoon } from '@/api/use-refresh-soon'

/** The shortest time between two refreshes, in milliseconds: the server tells no more often that something has changed. */
const pause = 2_000
/** An hour changes slowly. */
const minute = 60_000

/** What became of cloud phones in each of the last 48 hours; nothing is asked of those who may not see phones. */
export function usePhoneHours() {
  const enabled = useCan()('phone:list')
  return useApiQuery('phoneHours', {}, { enabled, keepPrevious: true, refetchInterval: minute })
}

/** Cloud phones and storage in figures, as far as one may see them, and as they change. */
export function usePhoneFigures() {
  const can = useCan()
  const seesPhones = can('phone:list')
  const settings = { keepPrevious: true, refetchInterval: minute }
  const phones = useApiQuery('phoneOverview', {}, { enabled: seesPhones, ...settings })
  const storage = useApiQuery('storeNodeTotals', {}, { enabled: can('storage:list'), ...settings })
  const refresh = useRefreshSoon(['phoneOverview', 'storeNodeTotals'], pause)
  useEvents('general', refresh, refresh)
  return { phones, storage, seesPhones }
}

import { useCan } from '@/access/permissions'
import { useApiQuery } from '@/api/query'
import { dayBegin, daySpan } from './curve'

/** So many days ago was the same day of last week. */
const week = 7

/** How the fleet did today and on the same day of last week; nothing is asked of those who may not see it. */
export function useFleetDay() {
  const enabled = useCan()('deviceMonitor:view')
  const now = new Date()
  const [today, before] = [dayBegin(now), dayBegin(now, week)]
  const live = useApiQuery('fleetPoints', { query: daySpan(today) }, { enabled, refetchInterval: 60_000 })
  const past = useApiQuery('fleetPoints', { query: daySpan(before) }, { enabled })
  return { enabled, now, today, before, live, past }
}

import { useMessages } from '@/i18n/messages'
import { LineChart } from '@/kit/chart/chart'
import { Button } from '@/ui/button'
import { Placeholder } from '@/ui/placeholder'
import { Skeleton } from '@/ui/skeleton'
import { clock, dayValues, slotOf } from './curve'
import { messages } from './messages'
import { useFleetDay } from './use-fleet-day'

/** Cards online and in use over the day, before the same day of last week. */
export function FleetCurve() {
  const m = useMessages(messages)
  const { now, today, before, live, past } = useFleetDay()
  if (!live.data || !past.data) {
    const failed = live.error ? live : past.error ? past : undefined
    if (!failed) return <Skeleton label={m.loading} />
    return (
      <Placeholder title={m.loadFailed} action={<Button onClick={() => void failed.refetch()}>{m.retry}</Button>} />
    )
  }
  if (live.data.length + past.data.length === 0) return <Placeholder title={m.noCurve} hint={m.noCurveHint} />
  const { data: points } = live
  const { data: earlier } = past
  return (
    <LineChart
      label={m.curve}
      fill
      ticks={clock}
      now={slotOf(today, now)}
      series={[
        { name: m.online, colour: 1, values: dayValues(points, today, ({ online }) => online) },
        { name: m.inUse, colour: 0, values: dayValues(points, today, ({ inUse }) => inUse) },
        { name: m.lastWeek(m.online), isPast: true, values: dayValues(earlier, before, ({ online }) => online) },
        { name: m.lastWeek(m.inUse), isPast: true, values: dayValues(earlier, before, ({ inUse }) => inUse) },
      ]}
    />
  )
}

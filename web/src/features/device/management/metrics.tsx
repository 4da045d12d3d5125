import type { DataOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { LineChart } from '@/kit/chart/chart'
import { Facts } from '@/kit/detail/facts'
import { formatDateTime } from '@/rules/format'
import { Placeholder } from '@/ui/placeholder'
import { CardFigures, useCardMetrics } from './figures'
import { messages } from './messages'

/** A card's figures: the latest ones, and the last hours minute by minute. */
export default function CardMetrics({ id, live }: { id: number; live: DataOf<'cardGet'>['live'] }) {
  const m = useMessages(messages)
  const latest = live?.metrics
  const points = useCardMetrics(id)
  if (!latest && points.length === 0) return <Placeholder title={m.noMetrics} hint={m.noMetricsHint} />
  return (
    <>
      <CardFigures id={id} latest={latest} />
      {latest && (
        <Facts
          of={{
            uptime: `${Math.floor(latest.uptime / 3600)} h ${Math.floor((latest.uptime % 3600) / 60)} min`,
          }}
        />
      )}
      {points.length > 0 && (
        <LineChart
          label={`${m.metrics}: ${m.any}`}
          ticks={points.map(({ at }) => formatDateTime(new Date(at)).slice(11, 16))}
          series={[
            { name: m.fields.cpu, values: points.map(({ cpu }) => cpu) },
            { name: m.fields.memory, values: points.map(({ memory }) => memory) },
            { name: m.fields.temperature, values: points.map(({ temperature }) => temperature) },
          ]}
        />
      )}
    </>
  )
}

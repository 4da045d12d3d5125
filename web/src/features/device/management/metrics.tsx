import { useState } from 'react'
import type { DataOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { LineChart } from '@/kit/chart/chart'
import { Facts } from '@/kit/detail/facts'
import { formatDateTime } from '@/rules/format'
import { Placeholder } from '@/ui/placeholder'
import { messages } from './messages'

const span = 2 * 60 * 60 * 1000

/** A card's figures: the latest ones, and the last hours minute by minute. */
export function CardMetrics({ id, live }: { id: number; live: DataOf<'cardGet'>['live'] }) {
  const m = useMessages(messages)
  const [end] = useState(() => Date.now())
  const query = {
    scope: 'card',
    id,
    startTime: new Date(end - span).toISOString(),
    endTime: new Date(end).toISOString(),
  }
  const { data } = useApiQuery('fleetMetrics', { query: query as never }, { suppressNotice: true })
  const latest = live?.metrics
  const points = data?.card ?? []
  if (!latest && points.length === 0) return <Placeholder title={m.noMetrics} hint={m.noMetricsHint} />
  return (
    <>
      {latest && (
        <Facts
          of={{
            cpu: `${latest.cpu}%`,
            memory: `${latest.memory}%`,
            storage: `${latest.storage}%`,
            temperature: `${latest.temperature} °C`,
            latency: `${latest.latency} ms`,
            loss: `${latest.loss}%`,
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

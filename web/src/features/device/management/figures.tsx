import './figures.css'
import { useState } from 'react'
import type { DataOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { Sparkline } from '@/kit/chart/sparkline'
import { grouped } from '@/rules/format'
import { type FleetLimits, useLimits } from '../limits'
import { messages } from './messages'

const minute = 60_000
const span = 2 * 60 * minute

type Latest = NonNullable<NonNullable<DataOf<'cardGet'>['live']>['metrics']>
type Figure = keyof Latest & ('cpu' | 'memory' | 'temperature' | 'storage' | 'latency' | 'loss')

const figures: readonly (readonly [Figure, unit: string])[] = [
  ['cpu', '%'],
  ['memory', '%'],
  ['temperature', ' °C'],
  ['storage', '%'],
  ['latency', ' ms'],
  ['loss', '%'],
]

/** A card's figures of the last hours, minute by minute. */
export function useCardMetrics(id: number) {
  // Parts of the page that ask within a minute ask once.
  const [end] = useState(() => Math.ceil(Date.now() / minute) * minute)
  const query = {
    scope: 'card',
    id,
    startTime: new Date(end - span).toISOString(),
    endTime: new Date(end).toISOString(),
  }
  const { data } = useApiQuery('fleetMetrics', { query: query as never }, { suppressNotice: true })
  return data?.card ?? []
}

/** The latest figures of a card with their course, coloured where they are too high; nothing before the first report. */
export function CardFigures({ id, latest }: { id: number; latest: Latest | null | undefined }) {
  const m = useMessages(messages)
  const points = useCardMetrics(id)
  const limits = useLimits()
  if (!latest) return null
  return (
    <dl className="device-figures">
      {figures.map(([figure, unit]) => {
        const limit = limits?.[figure as keyof FleetLimits]
        const isOver = limit !== undefined && latest[figure] >= limit
        return (
          <div key={figure} data-over={isOver || undefined}>
            <dt>{m.fields[figure]}</dt>
            <dd>
              {grouped(latest[figure])}
              {unit}
              {isOver && <small>{m.over(`${limit}${unit}`)}</small>}
            </dd>
            <Sparkline values={points.map((point) => point[figure])} />
          </div>
        )
      })}
    </dl>
  )
}

import '@/kit/kit.css'
import './monitoring.css'
import { keepPreviousData, useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { useScreenTitle } from '@/access/titles'
import { q, useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { LineChart, type LineChartProps } from '@/kit/chart/chart'
import { Loaded } from '@/kit/loaded'
import { formatDateTime } from '@/rules/format'
import { Button } from '@/ui/button'
import { Placeholder } from '@/ui/placeholder'
import { Select } from '@/ui/select'
import { Switch } from '@/ui/switch'
import { useLimits } from '../limits'
import { NoRooms } from '../no-rooms'
import { messages } from './messages'
import { type FigureLine, linesOf, momentsOf, newestOf, type Track, tick } from './series'

const spans = [1, 6, 24, 168, 720] as const
/** How often charts are refreshed, in milliseconds: metrics are stored once a minute. */
const beat = 60_000
/** So long without a point, and the data has stopped. */
const silence = 5 * 60_000

type Limit = NonNullable<LineChartProps['limits']>[number]

type Node = { id: number; name: string; kind: 'room' | 'frame' | 'host'; agents?: number | null }

/** Metrics of rooms, frames and hosts over time, and in comparison. The address says what is shown. */
export default function MonitoringPage() {
  const title = useScreenTitle()
  const rooms = useApiQuery('fleetTree', { query: {} })
  return (
    <section className="device-monitoring" aria-label={title}>
      <Loaded query={rooms}>
        {(found) => (found.length === 0 ? <NoRooms /> : <Charts rooms={found as Node[]} />)}
      </Loaded>
    </section>
  )
}

function Charts({ rooms }: { rooms: readonly Node[] }) {
  const m = useMessages(messages)
  const [search, setSearch] = useSearchParams()
  const number = (name: string) => Number(search.get(name)) || undefined
  const set = (values: Record<string, string | undefined>) =>
    setSearch(
      (now) => {
        const next = new URLSearchParams(now)
        for (const [name, value] of Object.entries(values)) value ? next.set(name, value) : next.delete(name)
        return next
      },
      { replace: true },
    )
  const room = rooms.find(({ id }) => id === number('room')) ?? rooms.find(({ agents }) => agents) ?? rooms[0]
  const frames = useApiQuery('fleetTree', { query: { roomId: room?.id ?? 0 } }, { enabled: room !== undefined })
  const frame = frames.data?.find(({ id }) => id === number('frame'))
  const hosts = useApiQuery('fleetTree', { query: { frameId: frame?.id ?? 0 } }, { enabled: frame !== undefined })
  const host = hosts.data?.find(({ id }) => id === number('host'))
  const hours = spans.find((span) => span === number('hours')) ?? 6
  const others = rooms.filter(({ id }) => search.getAll('with').includes(String(id)) && id !== room?.id)
  const [isLive, setLive] = useState(true)

  const main = host ?? frame ?? room
  const places = main ? [main as Node, ...(main === room ? others : [])] : []
  const options = (nodes: readonly { id: number; name: string }[] | undefined) =>
    (nodes ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <>
      <div className="kit-bar">
        <div className="kit-filters">
          <Select
            aria-label={m.room}
            style={{ width: 200 }}
            options={options(rooms)}
            value={room?.id ?? null}
            onChange={(id) => set({ room: String(id), frame: undefined, host: undefined })}
          />
          <Select
            aria-label={m.frame}
            placeholder={m.frame}
            style={{ width: 120 }}
            allowClear
            options={options(frames.data)}
            value={frame?.id ?? null}
            onChange={(id) => set({ frame: id ? String(id) : undefined, host: undefined })}
          />
          <Select
            aria-label={m.host}
            placeholder={m.host}
            style={{ width: 140 }}
            allowClear
            disabled={!frame}
            options={options(hosts.data)}
            value={host?.id ?? null}
            onChange={(id) => set({ host: id ? String(id) : undefined })}
          />
          <Select
            aria-label={m.compare}
            placeholder={m.compare}
            mode="multiple"
            maxCount={3}
            style={{ minWidth: 180 }}
            disabled={main !== room}
            options={options(rooms.filter(({ id }) => id !== room?.id))}
            value={others.map(({ id }) => id)}
            onChange={(ids: number[]) =>
              setSearch(
                (now) => {
                  const next = new URLSearchParams(now)
                  next.delete('with')
                  for (const id of ids) next.append('with', String(id))
                  return next
                },
                { replace: true },
              )
            }
          />
        </div>
        <div className="kit-tools">
          {spans.map((span) => (
            <Button
              key={span}
              size="small"
              type={span === hours ? 'primary' : 'default'}
              aria-pressed={span === hours}
              onClick={() => set({ hours: String(span) })}
            >
              {m.hours(span)}
            </Button>
          ))}
          {/* biome-ignore lint/a11y/noLabelWithoutControl: the switch is inside */}
          <label className="device-live">
            <Switch size="small" checked={isLive} onChange={setLive} aria-label={m.refresh} /> {m.refresh}
          </label>
        </div>
      </div>
      <Tracks places={places} hours={hours} isLive={isLive} />
    </>
  )
}

function Tracks({ places, hours, isLive }: { places: readonly Node[]; hours: number; isLive: boolean }) {
  const m = useMessages(messages)
  const answers = useQueries({
    queries: places.map(({ kind, id }) => ({
      queryKey: ['fleetMetrics', kind, id, hours] as const,
      queryFn: ({ signal }: { signal: AbortSignal }) => {
        const now = Date.now()
        const span = {
          startTime: new Date(now - hours * 3_600_000).toISOString(),
          endTime: new Date(now).toISOString(),
        }
        const asked = q('fleetMetrics', { query: { scope: kind, id, ...span } })
        return (asked.queryFn as (context: unknown) => Promise<{ place: Track['points'] }>)({ signal })
      },
      placeholderData: keepPreviousData,
      refetchInterval: isLive ? beat : (false as const),
    })),
  })
  const tracks = places.map(({ name }, at): Track => ({ name, points: answers[at]?.data?.place ?? [] }))
  const limits = useLimits()
  const newest = newestOf(tracks)
  if (newest === undefined) return <Placeholder title={m.noData} hint={m.noDataHint} />
  const end = Math.max(newest, ...answers.map(({ dataUpdatedAt }) => dataUpdatedAt))
  const moments = momentsOf(tracks, hours, end)
  // Over a long time points lie further apart.
  const isStale = end - newest > Math.max(silence, 2 * ((moments[1] ?? 0) - (moments[0] ?? 0)))
  const bounds = (...values: (number | undefined)[]): Limit[] =>
    [...new Set(values)].flatMap((value) => (value === undefined ? [] : [{ value, name: m.limit(value) }]))
  const ticks = moments.map((at) => tick(at, hours))
  const charts: readonly (readonly [title: string, figures: readonly FigureLine[], limits?: readonly Limit[]])[] = [
    [
      m.counts,
      [
        ['online', m.online, '--sky-good'],
        ['inUse', m.inUse, '--sky-primary'],
        ['fault', m.fault, '--st-fault'],
        ['offline', m.offline, '--sky-text-soft'],
      ],
    ],
    [
      m.load,
      [
        ['cpu', m.cpu],
        ['memory', m.memory],
        ['storage', m.storage],
      ],
      bounds(limits?.cpu, limits?.memory, limits?.storage),
    ],
    [
      m.heat,
      [
        ['temperature', m.temperature],
        ['hottest', m.hottest],
      ],
      bounds(limits?.temperature),
    ],
    [m.latency, [['latency', m.latency]]],
    [m.loss, [['loss', m.loss]]],
  ]
  return (
    <>
      {isStale && <p className="device-stale">{m.stale(formatDateTime(new Date(newest)))}</p>}
      <div className="device-charts">
        {charts.map(([title, figures, above]) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            <LineChart
              fill
              label={title}
              ticks={ticks}
              series={linesOf(tracks, figures, moments)}
              {...(above && above.length > 0 && { limits: above })}
            />
          </section>
        ))}
      </div>
    </>
  )
}

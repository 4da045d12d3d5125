import { useQueryClient } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import type { DataOf } from '@/api/call'
import { refreshQueries, useApiQuery } from '@/api/query'
import { useEvents } from '@/api/use-events'
import { useMessages } from '@/i18n/messages'
import { LineChart } from '@/kit/chart/chart'
import { Button } from '@/ui/button'
import { Placeholder } from '@/ui/placeholder'
import { Spinner } from '@/ui/spinner'
import './dashboard.css'
import { messages } from './messages'
import { Tiles } from './tiles'

export type Dashboard = DataOf<'dashboard'>

const spans = [7, 30] as const

/** What stands out now and how the last days went; every number leads to what it counts. */
export default function DashboardPage() {
  const m = useMessages(messages)
  const client = useQueryClient()
  const [search, setSearch] = useSearchParams()
  const days = spans.find((span) => String(span) === search.get('days')) ?? spans[0]
  const query = useApiQuery('dashboard', { query: { days } }, { keepPrevious: true, refetchInterval: 60_000 })
  const reload = () => void refreshQueries(client, ['dashboard'])
  useEvents('general', reload, reload)

  if (!query.data && query.error) {
    return <Placeholder title={m.loadFailed} action={<Button onClick={() => void query.refetch()}>{m.retry}</Button>} />
  }
  if (!query.data) return <Spinner label={m.loading} />
  return (
    <div className="dashboard">
      <Tiles data={query.data} />
      <section className="dashboard-trend" aria-label={m.trend}>
        <header>
          <h2>{m.trend}</h2>
          {spans.map((span) => (
            <Button
              key={span}
              size="small"
              type={span === days ? 'primary' : 'default'}
              aria-pressed={span === days}
              onClick={() => setSearch({ days: String(span) }, { replace: true })}
            >
              {m.days(span)}
            </Button>
          ))}
        </header>
        <Trend trend={query.data.trend} />
      </section>
    </div>
  )
}

function Trend({ trend }: { trend: Dashboard['trend'] }) {
  const m = useMessages(messages)
  const isEmpty = trend.every(({ registrations, signIns }) => registrations + signIns === 0)
  if (isEmpty) return <Placeholder title={m.noTrend} />
  return (
    <LineChart
      label={m.trend}
      height={300}
      ticks={trend.map(({ day }) => day.slice(5))}
      series={[
        { name: m.registrations, values: trend.map(({ registrations }) => registrations) },
        { name: m.signIns, values: trend.map(({ signIns }) => signIns) },
      ]}
    />
  )
}

import { useSearchParams } from 'react-router'
import { useMessages } from '@/i18n/messages'
import { LineChart } from '@/kit/chart/chart'
import { Button } from '@/ui/button'
import { Placeholder } from '@/ui/placeholder'
import type { Dashboard } from './data'
import { messages } from './messages'

const spans = [7, 30] as const

/** Over how many days the address asks for the trend. */
export function useDays() {
  const [search] = useSearchParams()
  return spans.find((span) => String(span) === search.get('days')) ?? spans[0]
}

export function DayButtons() {
  const m = useMessages(messages)
  const [, setSearch] = useSearchParams()
  const days = useDays()
  return spans.map((span) => (
    <Button
      key={span}
      size="small"
      type={span === days ? 'primary' : 'default'}
      aria-pressed={span === days}
      onClick={() => setSearch({ days: String(span) }, { replace: true })}
    >
      {m.days(span)}
    </Button>
  ))
}

/** Registrations and sign-ins, a chart each: there are many times more of these, and beside them those lie flat. */
export function Trend({ trend }: { trend: Dashboard['trend'] }) {
  const m = useMessages(messages)
  const isEmpty = trend.every(({ registrations, signIns }) => registrations + signIns === 0)
  if (isEmpty) return <Placeholder title={m.noTrend} />
  const ticks = trend.map(({ day }) => day.slice(5))
  const charts = [
    { name: m.registrations, values: trend.map(({ registrations }) => registrations) },
    { name: m.signIns, values: trend.map(({ signIns }) => signIns) },
  ]
  return (
    <div className="dashboard-pair">
      {charts.map((series) => (
        <LineChart key={series.name} label={series.name} height={200} ticks={ticks} series={[series]} />
      ))}
    </div>
  )
}

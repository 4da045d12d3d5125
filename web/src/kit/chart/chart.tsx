import { lazy, Suspense } from 'react'
import { useMessages } from '@/i18n/messages'
import { Spinner } from '@/ui/spinner'
import { kitMessages } from '../messages'

const Canvas = lazy(() => import('./canvas'))

/** One line of a chart. */
export interface Series {
  name: string
  values: readonly number[]
}

/** Values over time. `label` says to a screen reader what the picture shows. */
export interface LineChartProps {
  label: string
  /** The ticks below: one a value. */
  ticks: readonly string[]
  series: readonly Series[]
  height?: number
}

/** A line chart. The chart library is loaded when the first one is shown. */
export function LineChart(props: LineChartProps) {
  const m = useMessages(kitMessages)
  return (
    <div role="img" aria-label={props.label} style={{ height: props.height ?? 260 }}>
      <Suspense fallback={<Spinner label={m.loading} />}>
        <Canvas {...props} />
      </Suspense>
    </div>
  )
}

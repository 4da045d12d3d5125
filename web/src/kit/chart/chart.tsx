import { lazy, Suspense } from 'react'
import { useMessages } from '@/i18n/messages'
import { Spinner } from '@/ui/spinner'
import { kitMessages } from '../messages'

const Canvas = lazy(() => import('./canvas'))

/** One line of a chart. */
export interface Series {
  name: string
  /** Null is a hole: nobody knows the value of that moment. */
  values: readonly (number | null)[]
  /** What it is compared with: drawn dashed in grey, behind the others. */
  isPast?: boolean
  /** A colour of the theme by its place, so that a line of another chart can have the same. */
  colour?: number
  /** A token of the theme that is its colour, such as that of a state. */
  token?: string
}

/** Values over time. `label` says to a screen reader what the picture shows. */
export interface LineChartProps {
  label: string
  /** The ticks below: one a value. */
  ticks: readonly string[]
  series: readonly Series[]
  height?: number
  /** As high as its place, which is a column of a flexible box, at least so that it can be read. */
  fill?: boolean
  /** The tick at which a line marks the present. */
  now?: number
  /** Values from which on it is too much: dashed red lines with their names. */
  limits?: readonly { value: number; name: string }[]
}

const filling = { flex: '1 1 0', minHeight: 130 }

/** A line chart. The chart library is loaded when the first one is shown. */
export function LineChart(props: LineChartProps) {
  const m = useMessages(kitMessages)
  return (
    <div role="img" aria-label={props.label} style={props.fill ? filling : { height: props.height ?? 260 }}>
      <Suspense fallback={<Spinner label={m.loading} />}>
        <Canvas {...props} />
      </Suspense>
    </div>
  )
}

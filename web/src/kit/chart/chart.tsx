import './chart.css'
import { useState } from 'react'
import { useTheme } from '@/access/theme'
import { Canvas } from './canvas'
import { type Look, lookOf } from './looks'
import { Stroke } from './stroke'

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

/** A line with its look. */
export interface Line extends Series {
  look: Look
}

const filling = { flex: '1 1 0', minHeight: 130 }

/** A line chart: its names above, which hide and show their lines, and the picture. */
export function LineChart({ series, ...rest }: LineChartProps) {
  const { label, fill, height = 260 } = rest
  const theme = useTheme()
  const [hidden, setHidden] = useState<readonly string[]>([])
  const lines = series.map((one, at): Line => ({ ...one, look: lookOf(one, at, theme) }))
  const toggle = (name: string) =>
    setHidden(hidden.includes(name) ? hidden.filter((one) => one !== name) : [...hidden, name])
  return (
    <div className="kit-chart" style={fill ? filling : { height }}>
      <div className="kit-chart-names">
        {lines.map(({ name, look }) => (
          <button key={name} type="button" aria-pressed={!hidden.includes(name)} onClick={() => toggle(name)}>
            <Stroke look={look} /> {name}
          </button>
        ))}
      </div>
      <div className="kit-chart-picture" role="img" aria-label={label}>
        <Canvas {...rest} lines={lines.filter(({ name }) => !hidden.includes(name))} />
      </div>
    </div>
  )
}

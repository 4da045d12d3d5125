import './sparkline.css'

const [width, height] = [86, 24]

/** The course of a figure, small and without axes. Readers hear the figure alone; a hole breaks the line. */
export function Sparkline({ values }: { values: readonly (number | null)[] }) {
  const known = values.filter((value) => value !== null)
  if (known.length < 2) return <span className="kit-spark" aria-hidden />
  const [least, most] = [Math.min(...known), Math.max(...known)]
  // One card of seven hundred is no cliff: a course spans a fifth of its figure at least.
  const span = Math.max(most - least, most / 5, 1)
  const y = (value: number) => height / 2 - ((value - (most + least) / 2) / span) * (height - 4)
  const path = values
    .map((value, at) => {
      if (value === null) return ''
      const x = (at / (values.length - 1)) * width
      return `${at > 0 && values[at - 1] !== null ? 'L' : 'M'}${x.toFixed(1)} ${y(value).toFixed(1)}`
    })
    .join('')
  return (
    <svg className="kit-spark" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden>
      <path d={path} />
    </svg>
  )
}

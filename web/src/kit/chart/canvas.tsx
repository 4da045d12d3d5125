import 'uplot/dist/uPlot.min.css'
import { useLayoutEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import { useTheme } from '@/access/theme'
import { grouped } from '@/rules/format'
import { dataOf, optionsOf, type Picture, type Pointed } from './options'
import { Stroke } from './stroke'

/** Draws the lines of a chart on a canvas of the size of its place, and says what lies under the pointer. */
export function Canvas(props: Picture) {
  const { ticks, lines, now, limits, fill } = props
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const newest = useRef(props)
  newest.current = props
  const theme = useTheme()
  const [pointed, setPointed] = useState<Pointed>()
  const looks = JSON.stringify(lines.map(({ look, isPast }) => [look, isPast]))

  // The picture lives outside React: made anew for other lines, told of new values and of its size.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the looks stand for the lines; their values come below
  useLayoutEffect(() => {
    const element = place.current
    if (!element) return
    const size = () => ({ width: element.clientWidth, height: element.clientHeight })
    const made = new uPlot({ ...optionsOf(element, newest, setPointed), ...size() }, dataOf(newest.current), element)
    plot.current = made
    const watch = new ResizeObserver(() => made.setSize(size()))
    watch.observe(element)
    return () => {
      watch.disconnect()
      made.destroy()
      plot.current = undefined
    }
  }, [looks, theme, fill])

  // biome-ignore lint/correctness/useExhaustiveDependencies: these are all that can be other than when it was drawn
  useLayoutEffect(() => plot.current?.setData(dataOf(newest.current)), [ticks, lines, now, limits])

  return (
    <>
      <div ref={place} className="kit-chart-canvas" />
      {pointed && pointed.at < ticks.length && <Told {...pointed} ticks={ticks} lines={lines} />}
    </>
  )
}

/** All values of one tick, on the side of the pointer that has more room. */
function Told({ at, left, right, ticks, lines }: Pointed & Pick<Picture, 'ticks' | 'lines'>) {
  const side = left < right ? { left: left + 12 } : { right: right + 12 }
  return (
    <div className="kit-chart-told" style={side} aria-hidden>
      {ticks[at]}
      <table>
        <tbody>
          {lines.map(({ name, values, look }) => (
            <tr key={name}>
              <td>
                <Stroke look={look} /> {name}
              </td>
              <td>{typeof values[at] === 'number' ? grouped(values[at]) : '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

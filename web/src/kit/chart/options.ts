import uPlot from 'uplot'
import { abbreviate } from '@/rules/format'
import type { Line, LineChartProps } from './chart'
import { levelsOf, lonely } from './levels'

/** What is drawn on the canvas of a chart. */
export interface Picture extends Omit<LineChartProps, 'label' | 'series' | 'height'> {
  lines: readonly Line[]
}

/** Where the pointer is: over which value, and how far from both sides, in pixels. */
export interface Pointed {
  at: number
  left: number
  right: number
}

/** The picture as it is when it is drawn the next time: values change, and options stay. */
interface Newest {
  readonly current: Picture
}

/** Resolves a colour of the style sheets, which a canvas does not know. */
type Paint = (colour: string) => string

/** Behind all others lies what they are compared with. */
const inOrder = (lines: readonly Line[]) => lines.toSorted((a, b) => Number(b.isPast ?? 0) - Number(a.isPast ?? 0))

/** The values in the order of the series below; ticks are evenly apart, whatever they are called. */
export const dataOf = ({ ticks, lines }: Picture): uPlot.AlignedData => [
  ticks.map((_, at) => at),
  ...inOrder(lines).map(({ values }) => [...values]),
]

/** How a picture is drawn in its place. `point` hears where the pointer is, and when it leaves. */
export function optionsOf(
  element: HTMLElement,
  newest: Newest,
  point: (pointed: Pointed | undefined) => void,
): Omit<uPlot.Options, 'width' | 'height'> {
  const style = getComputedStyle(element)
  const font = `12px ${style.fontFamily}`
  const paint: Paint = (colour) => style.getPropertyValue(/^var\((.+)\)$/.exec(colour)?.[1] ?? '').trim() || colour
  return {
    legend: { show: false },
    padding: [8, 16, 0, 0],
    cursor: { y: false, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: (_, least, most) => (most > least ? [least, most] : [least - 1, most + 1]) },
      y: { range: (_, least, most) => endsOf(levels(newest.current, least ?? 0, most ?? 0)) },
    },
    axes: axesOf(newest, paint, font),
    series: [{}, ...inOrder(newest.current.lines).map((line) => seriesOf(line, paint))],
    hooks: {
      setCursor: [
        ({ cursor: { idx, left = 0 }, bbox, width }) => {
          const x = bbox.left / uPlot.pxRatio + left
          point(typeof idx === 'number' && left >= 0 ? { at: idx, left: x, right: width - x } : undefined)
        },
      ],
      draw: [(plot) => drawMarks(plot, newest.current, paint, font)],
    },
  }
}

/** A limit is seen although nothing comes near it. A chart as high as its place may be low: fewer lines then. */
const levels = ({ limits = [], fill }: Picture, least: number, most: number) =>
  levelsOf(least, Math.max(most, ...limits.map(({ value }) => value)), fill ? 3 : 5)

const endsOf = (all: readonly number[]): [number, number] => [all[0] ?? 0, all.at(-1) ?? 1]

/** Pixels between two names below the picture, and what a letter of them takes. */
const apart = 20
const letter = 7
/** How many values lie between two names: parts of an hour and of a day where they are minutes. */
const steps = [
  1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 24, 30, 36, 48, 60, 72, 96, 120, 144, 180, 240, 288, 360, 480, 720, 1440,
]

function axesOf(newest: Newest, paint: Paint, font: string): uPlot.Axis[] {
  const common = { stroke: paint('var(--sky-text-soft)'), font, ticks: { show: false } }
  return [
    {
      ...common,
      size: 26,
      incrs: steps,
      space: () => Math.max(0, ...newest.current.ticks.map(({ length }) => length)) * letter + apart,
      grid: { show: false },
      border: { show: true, stroke: paint('var(--sky-border)'), width: 1 },
      values: (_, places) => places.map((at) => newest.current.ticks[at] ?? ''),
    },
    {
      ...common,
      size: 44,
      grid: { stroke: paint('var(--sky-line)'), width: 1 },
      splits: (_, __, least, most) => levels(newest.current, least, most),
      values: (_, values) => values.map((value) => abbreviate(value)),
    },
  ]
}

function seriesOf({ look: { colour, width, dash } }: Line, paint: Paint): uPlot.Series {
  const stroke = paint(colour)
  // Where points lie too close for a mark each, those without a line still need one.
  const filter: uPlot.Series.Points.Filter = ({ data }, at, isShown) => (isShown ? null : lonely([...(data[at] ?? [])]))
  return { stroke, width, dash: [...dash], points: { fill: stroke, filter } }
}

/** An upright line where now is, and level ones, with their names, where too much begins. */
function drawMarks({ ctx, bbox, valToPos }: uPlot, { now, limits = [] }: Picture, paint: Paint, font: string) {
  const { pxRatio } = uPlot
  const line = (colour: string, dash: number[], from: [number, number], to: [number, number]) => {
    ctx.strokeStyle = colour
    ctx.lineWidth = pxRatio
    ctx.setLineDash(dash.map((length) => length * pxRatio))
    ctx.beginPath()
    ctx.moveTo(...from)
    ctx.lineTo(...to)
    ctx.stroke()
  }
  const [right, bottom] = [bbox.left + bbox.width, bbox.top + bbox.height]
  const limit = paint('var(--sky-bad)')
  ctx.save()
  if (now !== undefined) {
    const x = valToPos(now, 'x', true)
    line(paint('var(--sky-text-soft)'), [1, 3], [x, bbox.top], [x, bottom])
  }
  ctx.fillStyle = limit
  ctx.font = font.replace('12px', `${12 * pxRatio}px`)
  ctx.textAlign = 'right'
  ctx.textBaseline = 'bottom'
  for (const { value, name } of limits) {
    const y = valToPos(value, 'y', true)
    line(limit, [4, 4], [bbox.left, y], [right, y])
    ctx.fillText(name, right - 4 * pxRatio, y - 2 * pxRatio)
  }
  ctx.restore()
}

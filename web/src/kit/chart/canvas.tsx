import { LineChart as Lines } from 'echarts/charts'
import { GridComponent, LegendComponent, MarkLineComponent, TooltipComponent } from 'echarts/components'
import { type ECharts, init, use } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import { useEffect, useRef } from 'react'
import { useTheme } from '@/access/theme'
import { abbreviate, grouped } from '@/rules/format'
import type { LineChartProps, Series } from './chart'

use([Lines, GridComponent, LegendComponent, MarkLineComponent, TooltipComponent, CanvasRenderer])

/** Lines differ by dash and mark as well as by colour. */
const marks = ['circle', 'triangle', 'rect', 'diamond'] as const
const dashes = ['solid', 'dashed', 'dotted', 'solid'] as const
const colours = {
  light: ['#1660cf', '#b35900', '#1a7434', '#7a3fb0'],
  dark: ['#5a9bff', '#e0a54a', '#5fc97d', '#c39bf0'],
}

function line(one: Series, at: number, soft: string, palette: readonly string[], token: (name: string) => string) {
  const { name, values, isPast, colour } = one
  const common = { type: 'line' as const, name, data: [...values] }
  if (isPast) {
    const look = { showSymbol: false, z: 1, itemStyle: { color: soft } }
    return { ...common, ...look, lineStyle: { width: 1, type: 'dashed' as const, color: soft } }
  }
  const place = colour ?? at
  return {
    ...common,
    ...(one.token && { color: token(one.token) }),
    ...(colour !== undefined && { color: palette[colour], showSymbol: false }),
    symbol: marks[place % marks.length],
    symbolSize: 5,
    lineStyle: { width: 2, type: colour === undefined ? dashes[at % dashes.length] : ('solid' as const) },
  }
}

/** Level lines where too much begins. */
const bounds = (limits: NonNullable<LineChartProps['limits']>, colour: string) => ({
  silent: true,
  symbol: 'none',
  label: { position: 'insideEndTop' as const, color: colour, formatter: '{b}' },
  lineStyle: { color: colour, type: 'dashed' as const, width: 1 },
  data: limits.map(({ value, name }) => ({ yAxis: value, name })),
})

/** An upright line where now is. */
const present = (tick: number, colour: string) => ({
  silent: true,
  symbol: 'none',
  label: { show: false },
  lineStyle: { color: colour, type: 'dotted' as const, width: 1 },
  data: [{ xAxis: tick }],
})

/** Draws a `LineChart` on a canvas of the size of its place. */
export default function Canvas({ ticks, series, now, limits, fill }: LineChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const chart = useRef<ECharts>(undefined)
  const theme = useTheme()

  // The chart lives outside React: made once, told of its size, disposed of.
  useEffect(() => {
    const element = place.current
    if (!element) return
    const made = init(element)
    chart.current = made
    const watch = new ResizeObserver(() => made.resize())
    watch.observe(element)
    return () => {
      watch.disconnect()
      made.dispose()
      chart.current = undefined
    }
  }, [])

  useEffect(() => {
    const style = getComputedStyle(document.documentElement)
    const colour = (name: string) => style.getPropertyValue(name).trim()
    const soft = colour('--sky-text-soft')
    chart.current?.setOption(
      {
        animation: false,
        color: colours[theme],
        textStyle: { fontFamily: 'inherit', color: soft },
        grid: { left: 8, right: 16, top: 36, bottom: 4, containLabel: true },
        // Without an icon of its own an entry is drawn as its line: its dash and its mark.
        legend: { top: 0, right: 0, itemWidth: 28, itemHeight: 8, textStyle: { color: soft } },
        tooltip: {
          trigger: 'axis',
          backgroundColor: colour('--sky-surface'),
          borderColor: colour('--sky-border'),
          textStyle: { color: colour('--sky-text'), fontSize: 12 },
          valueFormatter: (value: unknown) => (typeof value === 'number' ? grouped(value) : '–'),
        },
        xAxis: {
          type: 'category',
          boundaryGap: false,
          data: [...ticks],
          axisLine: { lineStyle: { color: colour('--sky-border') } },
          axisTick: { show: false },
          axisLabel: { color: soft },
        },
        yAxis: {
          type: 'value',
          minInterval: 1,
          // A chart that is as high as its place may be low: fewer lines, so that their labels do not touch.
          ...(fill && { splitNumber: 3 }),
          // A limit is seen although nothing comes near it.
          ...(limits && { max: ({ max }: { max: number }) => Math.max(max, ...limits.map(({ value }) => value)) }),
          splitLine: { lineStyle: { color: colour('--sky-line') } },
          axisLabel: { color: soft, formatter: (value: number) => abbreviate(value) },
        },
        series: series.map((one, at) => ({
          ...line(one, at, soft, colours[theme], colour),
          ...(at === 0 && now !== undefined && { markLine: present(now, soft) }),
          ...(at === 0 && limits && { markLine: bounds(limits, colour('--sky-bad')) }),
        })),
      },
      { notMerge: true },
    )
  }, [ticks, series, now, limits, fill, theme])

  return <div ref={place} style={{ height: '100%' }} />
}

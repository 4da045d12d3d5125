import { LineChart as Lines } from 'echarts/charts'
import { GridComponent, LegendComponent, TooltipComponent } from 'echarts/components'
import { type ECharts, init, use } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import { useEffect, useRef } from 'react'
import { useTheme } from '@/access/theme'
import { abbreviate, grouped } from '@/rules/format'
import type { LineChartProps } from './chart'

use([Lines, GridComponent, LegendComponent, TooltipComponent, CanvasRenderer])

/** Lines differ by dash and mark as well as by colour. */
const marks = ['circle', 'triangle', 'rect', 'diamond'] as const
const dashes = ['solid', 'dashed', 'dotted', 'solid'] as const
const colours = {
  light: ['#1660cf', '#b35900', '#1a7434', '#7a3fb0'],
  dark: ['#5a9bff', '#e0a54a', '#5fc97d', '#c39bf0'],
}

/** Draws a `LineChart` on a canvas of the size of its place. */
export default function Canvas({ ticks, series }: LineChartProps) {
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
        legend: { top: 0, right: 0, icon: 'roundRect', itemHeight: 3, textStyle: { color: soft } },
        tooltip: {
          trigger: 'axis',
          backgroundColor: colour('--sky-surface'),
          borderColor: colour('--sky-border'),
          textStyle: { color: colour('--sky-text'), fontSize: 12 },
          valueFormatter: (value: unknown) => grouped(Number(value)),
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
          splitLine: { lineStyle: { color: colour('--sky-line') } },
          axisLabel: { color: soft, formatter: (value: number) => abbreviate(value) },
        },
        series: series.map(({ name, values }, at) => ({
          type: 'line',
          name,
          data: [...values],
          symbol: marks[at % marks.length],
          symbolSize: 5,
          lineStyle: { width: 2, type: dashes[at % dashes.length] },
        })),
      },
      { notMerge: true },
    )
  }, [ticks, series, theme])

  return <div ref={place} style={{ height: '100%' }} />
}

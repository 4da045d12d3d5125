import type { DataOf } from '@/api/call'
import type { Series } from '@/kit/chart/chart'
import { formatDateTime } from '@/rules/format'

export type PlacePoint = DataOf<'fleetMetrics'>['place'][number]
export type Figure = Exclude<keyof PlacePoint, 'at'>

/** A figure, its name, and the token of its colour where it has one. */
export type FigureLine = readonly [figure: Figure, name: string, token?: string]

/** A place with its metrics over time. */
export interface Track {
  name: string
  points: readonly PlacePoint[]
}

const minute = 60_000
/** More ticks than a chart has pixels show nothing more. */
const most = 1500

/**
 * The times of a whole span, evenly, whether anybody reported then or not: as far apart as the points are, and at most
 * as many as can be seen.
 */
export function momentsOf(tracks: readonly Track[], hours: number, end: number): number[] {
  const span = hours * 60 * minute
  const gaps = tracks.flatMap(({ points }) =>
    points.slice(1).map(({ at }, i) => Date.parse(at) - Date.parse(points[i]?.at ?? at)),
  )
  const usual = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length * 0.9)] ?? minute
  const step = Math.max(minute, Math.ceil(Math.max(usual, span / most) / minute) * minute)
  const count = Math.floor(span / step) + 1
  return Array.from({ length: count }, (_, at) => end - (count - 1 - at) * step)
}

/** The figures of all tracks at common times. Where a place told nothing for more than a tick the line has a hole. */
export function linesOf(
  tracks: readonly Track[],
  figures: readonly FigureLine[],
  moments: readonly number[],
): Series[] {
  const [first = 0, second = first + minute] = moments
  const step = second - first
  return tracks.flatMap(({ name, points }) => {
    const slots = new Map(points.map((point) => [Math.round((Date.parse(point.at) - first) / step), point]))
    return figures.map(([figure, words, look]) => ({
      name: tracks.length > 1 ? `${name} ${words}` : words,
      values: moments.map((_, at) => (slots.get(at) ?? slots.get(at - 1))?.[figure] ?? null),
      // Several places are told apart by their own colours.
      ...(look && tracks.length === 1 && { token: look }),
    }))
  })
}

/** The newest point of all tracks, in milliseconds; nothing without any. */
export function newestOf(tracks: readonly Track[]): number | undefined {
  const times = tracks.flatMap(({ points }) => points.slice(-1).map(({ at }) => Date.parse(at)))
  return times.length > 0 ? Math.max(...times) : undefined
}

/** What stands below a chart: the time, with the day where the span is longer than one. */
export const tick = (at: number, hours: number): string => formatDateTime(new Date(at)).slice(hours > 24 ? 5 : 11, 16)

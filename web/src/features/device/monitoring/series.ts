import type { DataOf } from '@/api/call'
import { formatDateTime } from '@/rules/format'

export type PlacePoint = DataOf<'fleetMetrics'>['place'][number]
export type Figure = Exclude<keyof PlacePoint, 'at'>

/** A place with what is known of it over time. */
export interface Track {
  name: string
  points: readonly PlacePoint[]
}

/** The moments of all tracks, in order: places report in their own minutes. */
export function momentsOf(tracks: readonly Track[]): string[] {
  return [...new Set(tracks.flatMap(({ points }) => points.map(({ at }) => at)))].sort()
}

/** Figures of all tracks on common moments; where a place has none, its last one goes on. */
export function linesOf(
  tracks: readonly Track[],
  figures: readonly (readonly [figure: Figure, name: string])[],
): { name: string; values: number[] }[] {
  const moments = momentsOf(tracks)
  return tracks.flatMap(({ name, points }) => {
    const known = new Map(points.map((point) => [point.at, point]))
    return figures.map(([figure, words]) => {
      let last = 0
      const values = moments.map((at) => {
        last = known.get(at)?.[figure] ?? last
        return last
      })
      return { name: tracks.length > 1 ? `${name} ${words}` : words, values }
    })
  })
}

/** What stands below a chart: the time, with the day where the span is longer than one. */
export const tick = (at: string, hours: number): string => formatDateTime(new Date(at)).slice(hours > 24 ? 5 : 11, 16)

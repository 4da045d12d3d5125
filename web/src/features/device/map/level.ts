import type { DataOf } from '@/api/call'
import type { Tone } from '@/ui/tone'

export type Point = Pick<DataOf<'fleetMap'>[number], 'counts' | 'agents'>

/** How a room is: by the share of its cards that are faulty or offline. Without an agent nobody knows. */
export type Level = 'good' | 'some' | 'many' | 'away'

/** From this share on, somebody should look; from the other, at once. */
const [aFew, aLot] = [0.02, 0.1]

export const troubled = ({ counts }: Point) => counts.fault + counts.offline

export function levelOf(point: Point): Level {
  if (point.agents === 0) return 'away'
  const share = point.counts.total === 0 ? 0 : troubled(point) / point.counts.total
  return share >= aLot ? 'many' : share >= aFew ? 'some' : 'good'
}

export const toneOf: Readonly<Record<Level, Tone>> = { good: 'good', some: 'warn', many: 'bad', away: 'muted' }

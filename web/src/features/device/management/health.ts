import type { DataOf, RowOf } from '@/api/call'
import { fact, lifecycle, networkStatus, power, runStatus } from '../choices'
import type { FleetLimits } from '../limits'

export type Card = DataOf<'cardGet'>
type Event = RowOf<'cardEvents'>

/** The layers from the room agent to Android. Each one is known only as far as the one before it works. */
export const layers = ['reached', 'tcpOpen', 'adbAnswers', 'booted'] as const
export type Layer = (typeof layers)[number]

export interface Link {
  layer: Layer
  /** `shaky`: it works, and the last reports contradict. */
  state: 'works' | 'shaky' | 'broken' | 'unknown'
  /** Reports in a row that contradict. */
  misses: number
  /** The first one that does not work: what is wrong with the card. */
  isFirst: boolean
}

/** The layers of a card. Behind the first one that is broken nobody knows anything, whatever was recorded last. */
export function chainOf(card: Pick<Card, Layer | 'live'>): Link[] {
  const broken = layers.findIndex((layer) => card[layer] === fact.value.no)
  const links = layers.map((layer, at) => {
    const misses = card.live?.against[at] ?? 0
    const isKnown = card[layer] !== fact.value.unknown && (broken < 0 || at <= broken)
    const state = !isKnown ? 'unknown' : at === broken ? 'broken' : misses > 0 ? 'shaky' : 'works'
    return { layer, misses, state } as const
  })
  const first = broken >= 0 ? broken : links.findIndex(({ state }) => state === 'shaky')
  return links.map((link, at) => ({ ...link, isFirst: at === first }))
}

/** The newest event of an axis: since when it is as it is, and who says so. */
export const lastOf = (events: readonly Event[], axis: number): Event | undefined =>
  events.reduce<Event | undefined>(
    (last, event) => (event.axis === axis && (!last || event.at > last.at) ? event : last),
    undefined,
  )

/** What is wrong with a card, and what is likely to help. */
export type Wrong =
  | { kind: 'faulty' }
  | { kind: 'off'; helps: 'powerOn' }
  | { kind: 'broken'; layer: Layer; helps: 'powerCycle' | 'reboot' }
  | { kind: 'shaky'; layer: Layer; misses: number }
  | { kind: 'over'; figure: keyof FleetLimits; value: number; limit: number; helps?: 'maintain' }
  | { kind: 'network' }

/** The gravest thing that is wrong; nothing while all is well, and nothing of a card that nobody expects to work yet. */
export function wrongOf(card: Card, limits: FleetLimits | undefined): Wrong | undefined {
  if (card.lifecycle === lifecycle.value.faulty) return { kind: 'faulty' }
  const isDown = [runStatus.value.fault, runStatus.value.offline].some((state) => state === card.runStatus)
  if (card.lifecycle !== lifecycle.value.registered && !isDown) return undefined
  if (card.lifecycle === lifecycle.value.retired) return undefined
  const first = chainOf(card).find(({ isFirst }) => isFirst)
  if (first?.state === 'broken') {
    if (card.power === power.value.off) return { kind: 'off', helps: 'powerOn' }
    // A card that answers over ADB can be rebooted through it; the others have to lose their power.
    return { kind: 'broken', layer: first.layer, helps: first.layer === 'booted' ? 'reboot' : 'powerCycle' }
  }
  const over = overLimit(card, limits)
  if (over) return over
  if (first) return { kind: 'shaky', layer: first.layer, misses: first.misses }
  return card.networkStatus === networkStatus.value.online ? undefined : { kind: 'network' }
}

function overLimit(card: Card, limits: FleetLimits | undefined): Wrong | undefined {
  const metrics = card.live?.metrics
  if (!metrics || !limits) return undefined
  const figure = (['temperature', 'cpu', 'memory', 'storage'] as const).find((each) => metrics[each] >= limits[each])
  if (!figure) return undefined
  const helps = figure === 'temperature' ? { helps: 'maintain' as const } : {}
  return { kind: 'over', figure, value: metrics[figure], limit: limits[figure], ...helps }
}

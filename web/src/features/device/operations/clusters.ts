import type { DataOf } from '@/api/call'

export type Places = DataOf<'operationPlaces'>
type Frame = Places['frames'][number]
type Host = Frame['hosts'][number]

/** Where the tasks of a reason are: most of them on one host, in one frame, or all over. */
export interface Cluster {
  host?: { id: number; frame: string; name: string; count: number; isWhole: boolean }
  frame?: { id: number; name: string; count: number }
  /** The numbers of frames and hosts that they are spread over. */
  frames: number
  hosts: number
}

/** Below this number nothing can be said to be near each other. */
const few = 3
/** This share in one place is a cluster. */
const most = 0.6

/** Where the tasks with this reason and state are; none where hosts are not told one by one. */
export function clusterOf(places: Places, code: string, state: number): Cluster | undefined {
  const reason = places.codes.indexOf(code) + 1
  const isOf = (host: Host, at: number) => host.reasons[at] === reason && host.states[at] === state
  let [total, frames, hosts] = [0, 0, 0]
  let topHost: Cluster['host']
  let topFrame: Cluster['frame']
  for (const frame of places.frames) {
    let inFrame = 0
    for (const host of frame.hosts) {
      const count = host.cards.filter((_, at) => isOf(host, at)).length
      if (count === 0) continue
      hosts += 1
      inFrame += count
      if (host.id && count > (topHost?.count ?? 0)) {
        const isWhole = count >= few && count === host.cards.length
        topHost = { id: host.id, frame: frame.name, name: host.name, count, isWhole }
      }
    }
    if (inFrame === 0) continue
    frames += 1
    total += inFrame
    if (frame.id && inFrame > (topFrame?.count ?? 0)) topFrame = { id: frame.id, name: frame.name, count: inFrame }
  }
  if (total === 0) return undefined
  const isNear = (count: number) => total === count || (total >= few && count >= total * most)
  return {
    frames,
    hosts,
    ...(topHost && isNear(topHost.count) ? { host: topHost } : {}),
    ...(topFrame && isNear(topFrame.count) ? { frame: topFrame } : {}),
  }
}

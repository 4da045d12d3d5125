import type { PlaceNode } from './cells'

/** The gravest thing in a room, in the order of how grave it is. */
export interface Worst {
  kind: 'hostLost' | 'fault' | 'offline' | 'maintenance'
  frame: PlaceNode
  host?: PlaceNode
  count: number
}

/** So many faults in one frame are a thing of the frame, no longer of its cards. */
const manyFaults = 4

const isLost = ({ counts }: PlaceNode) => counts.total > 0 && counts.offline === counts.total

/** Whether a frame is to be looked at first: it has lost a host, or has four faults. */
export function isHot(frame: PlaceNode, hosts: readonly PlaceNode[]): boolean {
  return frame.counts.fault >= manyFaults || hosts.some((host) => host.parentId === frame.id && isLost(host))
}

/** The worst thing of a room: a host that is lost, else what most cards of a frame have. Nothing when all is well. */
export function worstOf(nodes: readonly PlaceNode[]): Worst | undefined {
  const frames = nodes.filter(({ kind }) => kind === 'frame')
  const lost = nodes.find((node) => node.kind === 'host' && isLost(node))
  const frame = lost && frames.find(({ id }) => id === lost.parentId)
  if (lost && frame) return { kind: 'hostLost', frame, host: lost, count: lost.counts.offline }
  for (const kind of ['fault', 'offline', 'maintenance'] as const) {
    const [most] = frames.toSorted((a, b) => b.counts[kind] - a.counts[kind])
    if (most && most.counts[kind] > 0) return { kind, frame: most, count: most.counts[kind] }
  }
  return undefined
}

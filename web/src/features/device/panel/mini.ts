import type { RackFrame, RackHost } from './layout'

/** How the frames of a room are drawn small: a block a card, a row a host. */
export interface MiniLayout {
  columns: number
  block: { width: number; height: number }
  /** The hosts of each frame, from top to bottom. */
  hosts: ReadonlyMap<number, readonly RackHost[]>
}

/** The space between blocks, between frames, and what a frame has around its blocks. */
export const blockGap = 1
const frameGap = 8
export const frameEdge = 6

/** More frames stand in two rows, with lower blocks; still more are bars, for which no card is asked for. */
const oneRow = 12
const pictures = 40

/** A room with few cards does not become a wall of colour. */
const widestBlock = 42

/** Blocks as wide as lets the frames fill the width. A block of nothing stands for a bar. */
export function miniOf(frames: readonly RackFrame[], hosts: readonly RackHost[], width: number): MiniLayout {
  const byFrame = new Map<number, RackHost[]>()
  for (const host of hosts.toSorted((a, b) => a.slot - b.slot)) {
    byFrame.set(host.frame, [...(byFrame.get(host.frame) ?? []), host])
  }
  const count = Math.max(1, frames.length)
  if (count > pictures) return { columns: 8, block: { width: 0, height: 0 }, hosts: byFrame }
  const columns = count > oneRow ? Math.ceil(count / 2) : count
  const widest = Math.max(1, ...hosts.map(({ positions }) => positions))
  const share = (width - frameGap * (columns - 1)) / columns - frameEdge
  const fitting = Math.floor((share + blockGap) / widest) - blockGap
  return {
    columns,
    block: { width: Math.max(2, Math.min(widestBlock, fitting)), height: count > oneRow ? 6 : 13 },
    hosts: byFrame,
  }
}

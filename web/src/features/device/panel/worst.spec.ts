import { describe, expect, it } from 'vitest'
import type { PlaceNode } from './cells'
import { isHot, worstOf } from './worst'

const none = { total: 12, idle: 0, inUse: 0, maintenance: 0, fault: 0, upgrading: 0, offline: 0, unknown: 0 }
const node = (kind: 'frame' | 'host', id: number, counts: Partial<PlaceNode['counts']>, parentId = 0): PlaceNode => ({
  kind,
  id,
  parentId,
  name: `${kind}${id}`,
  place: '',
  maintenance: 1,
  counts: { ...none, online: 0, degraded: 0, ...counts },
})

describe('the worst thing of a room', () => {
  it('is a host that is lost, before any number of faults', () => {
    const nodes = [
      node('frame', 1, { fault: 9 }),
      node('frame', 2, { offline: 12 }),
      node('host', 3, { offline: 12 }, 2),
    ]
    expect(worstOf(nodes)).toMatchObject({ kind: 'hostLost', frame: { id: 2 }, host: { id: 3 }, count: 12 })
  })

  it('is the frame with most faults, then most offline, then most in maintenance', () => {
    const nodes = [node('frame', 1, { fault: 1, offline: 8 }), node('frame', 2, { fault: 3 })]
    expect(worstOf(nodes)).toMatchObject({ kind: 'fault', frame: { id: 2 }, count: 3 })
    expect(worstOf([node('frame', 1, { offline: 2, maintenance: 5 })])).toMatchObject({ kind: 'offline', count: 2 })
    expect(worstOf([node('frame', 1, { maintenance: 5 })])).toMatchObject({ kind: 'maintenance', count: 5 })
  })

  it('is nothing where all is well, and a host without cards is not lost', () => {
    expect(worstOf([node('frame', 1, {}), node('host', 2, { total: 0 }, 1)])).toBeUndefined()
  })

  it('outlines a frame with four faults or a lost host, and no other', () => {
    expect(isHot(node('frame', 1, { fault: 4 }), [])).toBe(true)
    expect(isHot(node('frame', 1, { fault: 3 }), [])).toBe(false)
    expect(isHot(node('frame', 1, { offline: 12 }), [node('host', 2, { offline: 12 }, 1)])).toBe(true)
    expect(isHot(node('frame', 1, { offline: 11 }), [node('host', 2, { offline: 11 }, 1)])).toBe(false)
  })
})

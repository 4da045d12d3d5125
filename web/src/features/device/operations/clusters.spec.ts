import { describe, expect, it } from 'vitest'
import { clusterOf, type Places } from './clusters'

const [done, failed] = [3, 4]
const counts = { pending: 0, running: 0, succeeded: 0, failed: 0, other: 0 }

/** A host; a letter a card: `.` done, `x` refused, `t` timed out. */
function host(id: number, cards: string): Places['frames'][number]['hosts'][number] {
  const of = [...cards]
  return {
    id,
    name: `h${id}`,
    slot: id,
    cards: of.map((_, at) => id * 100 + at),
    positions: of.map((_, at) => at + 1),
    states: of.map((letter) => (letter === '.' ? done : failed)) as never,
    reasons: of.map((letter) => ' xt'.indexOf(letter === '.' ? ' ' : letter)),
  }
}

function places(...frames: string[][]): Places {
  let id = 0
  return {
    codes: ['refused', 'timeout'],
    frames: frames.map((hosts, at) => ({
      id: at + 1,
      name: `F${at + 1}`,
      roomId: 1,
      room: 'R',
      counts,
      hosts: hosts.map((cards) => host(++id, cards)),
    })),
  }
}

describe('where failures of one reason are', () => {
  it('finds the host that is lost', () => {
    const found = clusterOf(places(['....', 'xxxx'], ['..x.']), 'refused', failed)
    expect(found?.host).toEqual({ id: 2, frame: 'F1', name: 'h2', count: 4, isWhole: true })
    expect(found).toMatchObject({ frames: 2, hosts: 2 })
  })

  it('finds the frame when no host stands out', () => {
    const found = clusterOf(places(['t..t', '.t.t'], ['....']), 'timeout', failed)
    expect(found?.host).toBeUndefined()
    expect(found?.frame).toEqual({ id: 1, name: 'F1', count: 4 })
  })

  it('says nothing of two in different places', () => {
    expect(clusterOf(places(['x...'], ['x...']), 'refused', failed)).toEqual({ frames: 2, hosts: 2 })
  })

  it('names the place of one, which is no whole host', () => {
    expect(clusterOf(places(['x'], ['....']), 'refused', failed)?.host).toMatchObject({ name: 'h1', isWhole: false })
  })

  it('knows no reason that does not occur', () => {
    expect(clusterOf(places(['xx..']), 'timeout', failed)).toBeUndefined()
  })
})

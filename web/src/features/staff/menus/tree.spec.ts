import { describe, expect, it } from 'vitest'
import { type MenuEntry, pruned, rowsOf, shifted, treeOf } from './tree'

const entry = (id: number, parentId: number | null, kind: number, path: string, sort = id * 10) =>
  ({ id, parentId, kind, path, sort, name: `n${id}`, title: `t${id}`, code: `c${id}` }) as MenuEntry

const entries = [
  entry(1, null, 1, '/user'),
  entry(2, null, 1, '/clientUser'),
  entry(3, 1, 2, 'groups'),
  entry(4, 2, 2, '/clientUser'),
  entry(5, 3, 3, ''),
]
const tree = treeOf(entries)

describe('the menu tree', () => {
  it('puts addresses together as the sidebar does', () => {
    const paths = rowsOf(tree, () => true).map(({ node, depth }) => [node.fullPath, depth])
    expect(paths).toEqual([
      ['/user', 0],
      ['/user/groups', 1],
      ['', 2],
      ['/clientUser', 0],
      ['/clientUser', 1],
    ])
  })

  it('leaves out what lies below a closed entry', () => {
    expect(rowsOf(tree, ({ entry }) => entry.kind === 1).map(({ node }) => node.entry.id)).toEqual([1, 3, 2, 4])
  })

  it('keeps what stands above a match', () => {
    const found = pruned(tree, ({ entry }) => entry.id === 5)
    expect(rowsOf(found, () => true).map(({ node }) => node.entry.id)).toEqual([1, 3, 5])
  })
})

describe('changing places', () => {
  const numbers = (list: MenuEntry[], id: number, step: -1 | 1) =>
    shifted(list, id, step).map(({ entry, sort }) => [entry.id, sort])
  const level = [entry(1, null, 1, 'a', 0), entry(2, null, 1, 'b', 10), entry(3, null, 1, 'c', 30)]

  it('swaps the numbers of two neighbours and touches nobody else', () => {
    expect(numbers(level, 2, 1)).toEqual([
      [3, 10],
      [2, 30],
    ])
    expect(numbers(level, 2, -1)).toEqual([
      [2, 0],
      [1, 10],
    ])
  })

  it('numbers a level anew when numbers stand twice', () => {
    const same = level.map((each) => ({ ...each, sort: 5 }))
    expect(numbers(same, 3, -1)).toEqual([
      [1, 0],
      [3, 10],
      [2, 20],
    ])
  })

  it('does nothing at the ends', () => {
    expect(shifted(level, 1, -1)).toEqual([])
    expect(shifted(level, 3, 1)).toEqual([])
  })
})

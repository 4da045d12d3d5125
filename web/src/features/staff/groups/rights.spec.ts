import { describe, expect, it } from 'vitest'
import { beyond, canTurn, changesOf, countOf, heldOf, markOf, matching, type Right, turned } from './rights'

const right = (id: number, name: string, children: Right[] = [], more: Partial<Right> = {}): Right => ({
  id,
  name,
  code: `code${id}`,
  allotted: false,
  grantable: true,
  children,
  ...more,
})

const list = right(11, '查看')
const edit = right(12, '编辑')
const remove = right(13, '删除', [], { grantable: false })
const users = right(10, '用户', [list, edit, remove])
const about = right(20, '介绍')
const staff = right(1, '管理', [users, about])
const logs = right(31, '查看日志')
const log = right(30, '日志', [logs])
const other = right(2, '其他', [log])
const tree = [staff, other]
const sorted = (held: ReadonlySet<number>) => [...held].sort((a, b) => a - b)

describe('marks', () => {
  it('say all, some or none', () => {
    expect(markOf(users, new Set())).toBe('none')
    expect(markOf(users, new Set([1, 10, 11]))).toBe('some')
    expect(markOf(users, new Set([1, 10, 11, 12, 13]))).toBe('all')
    expect(markOf(staff, new Set([1, 10, 11, 12, 13]))).toBe('some')
    expect(markOf(staff, new Set([1, 10, 11, 12, 13, 20]))).toBe('all')
  })

  it('call a page without buttons some', () => {
    expect(markOf(users, new Set([10]))).toBe('some')
  })
})

describe('turning', () => {
  it('takes along what stands above', () => {
    expect(sorted(turned(tree, new Set(), list))).toEqual([1, 10, 11])
  })

  it('turns on what is missing, but never what may not be granted', () => {
    expect(sorted(turned(tree, new Set([1, 10, 11]), staff))).toEqual([1, 10, 11, 12, 20])
  })

  it('turns off once everything that may be granted is on', () => {
    expect(sorted(turned(tree, new Set([1, 10, 11, 12, 20]), staff))).toEqual([])
  })

  it('leaves what the person lacks where it is, and with it what stands above', () => {
    expect(sorted(turned(tree, new Set([1, 10, 11, 12, 13, 20]), staff))).toEqual([1, 10, 13])
  })

  it('drops a page with its last button, and a section with its last page', () => {
    expect(sorted(turned(tree, new Set([1, 10, 11, 20]), list))).toEqual([1, 20])
    expect(sorted(turned(tree, new Set([2, 30, 31]), logs))).toEqual([])
  })

  it('does not touch other branches', () => {
    const pageOnly = new Set([2, 30])
    expect(sorted(turned(tree, pageOnly, list))).toEqual([1, 2, 10, 11, 30])
  })

  it('gives back what it began with when done twice', () => {
    const once = turned(tree, new Set(), users)
    expect(sorted(turned(tree, once, users))).toEqual([])
  })
})

describe('the summary', () => {
  it('names what comes and goes, screen by screen', () => {
    const before = new Set([1, 10, 11, 20])
    const after = new Set([1, 10, 12, 2, 30, 31])
    expect(changesOf(tree, before, after)).toEqual([
      { key: '10', section: '管理', screen: '用户', added: ['编辑'], removed: ['查看'] },
      { key: '20', section: '管理', screen: '介绍', added: [], removed: ['介绍'] },
      { key: '30', section: '其他', screen: '日志', added: ['查看日志'], removed: [] },
    ])
  })

  it('is empty when nothing has changed', () => {
    expect(changesOf(tree, new Set([1, 10, 11]), new Set([1, 10, 11]))).toEqual([])
  })

  it('counts what decides', () => {
    expect(countOf(tree, new Set([1, 10, 11, 20]))).toEqual({ held: 2, all: 5 })
  })
})

describe('what the server says', () => {
  const given = [right(1, 'a', [right(10, 'b', [right(11, 'c', [], { allotted: true })], { allotted: true })])]

  it('becomes the ids that are held', () => {
    expect(sorted(heldOf(given))).toEqual([10, 11])
  })

  it('tells what is beyond the person', () => {
    expect(beyond(given)).toBeUndefined()
    expect(beyond([right(1, 'a', [], { allotted: true, grantable: false })])?.id).toBe(1)
  })

  it('tells what cannot be turned', () => {
    expect(canTurn(remove)).toBe(false)
    expect(canTurn(users)).toBe(true)
  })
})

describe('searching', () => {
  it('finds names and codes, with what stands above and below', () => {
    expect(matching(tree, ' 用户 ').map(({ id, children }) => [id, children.map((child) => child.id)])).toEqual([
      [1, [10]],
    ])
    expect(matching(tree, 'CODE31')[0]?.children[0]?.children.map(({ id }) => id)).toEqual([31])
    expect(matching(tree, '用户')[0]?.children[0]?.children).toHaveLength(3)
  })

  it('gives the tree itself for no text, and nothing for what is not there', () => {
    expect(matching(tree, '  ')).toBe(tree)
    expect(matching(tree, '没有')).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { close, closeAll, closeLost, closeOthers, named, nextAfterClose, type TabsState, visit } from './tabs'

const page = (name: string, more: { noCache?: boolean; search?: string; title?: string } = {}) => ({
  name,
  path: `/${name}`,
  title: name,
  search: '',
  hash: '',
  noCache: false,
  ...more,
})
const open = (...names: string[]) => names.reduce<TabsState>((state, name) => visit(state, page(name)), closeAll())
const paths = (state: TabsState) => state.visits.map((view) => view.path)

describe('visited pages', () => {
  it('are added once per path and cached', () => {
    const state = visit(open('a', 'b'), page('a', { search: '?q=1' }))
    expect(paths(state)).toEqual(['/a', '/b'])
    expect(state.cached).toEqual(['a', 'b'])
    expect(state.visits[0]?.search).toBe('?q=1')
  })

  it('keep the name of the thing they are of until they are closed', () => {
    const state = named(open('a', 'b'), '/a', ['重启 #1', 'Reboot #1'])
    expect(visit(state, page('a', { search: '?q=1' })).names).toEqual({ '/a': ['重启 #1', 'Reboot #1'] })
    expect(named(state, '/a', ['重启 #1', 'Reboot #1'])).toBe(state)
    expect(close(state, '/a').names).toEqual({})
  })

  it('are not cached when they say noCache', () => {
    expect(visit(closeAll(), page('a', { noCache: true })).cached).toEqual([])
  })

  it('are named no-name when they have no title', () => {
    expect(visit(closeAll(), page('a', { title: '' })).visits[0]?.title).toBe('no-name')
  })

  it('do not change when nothing changed', () => {
    const state = open('a')
    expect(visit(state, page('a'))).toBe(state)
  })

  it('lose their cache when they are closed', () => {
    expect(close(open('a', 'b'), '/a')).toMatchObject({ cached: ['b'] })
    expect(closeOthers(open('a', 'b', 'c'), '/b')).toMatchObject({ cached: ['b'] })
    expect(closeAll()).toEqual({ visits: [], cached: [], names: {} })
  })

  it('close when their page was moved elsewhere', () => {
    expect(paths(closeLost(open('a', 'b', 'c'), (path) => path !== '/b'))).toEqual(['/a', '/c'])
  })
})

describe('nextAfterClose', () => {
  it('stays when another tab was closed', () => {
    expect(nextAfterClose(close(open('a', 'b'), '/a'), '/b')).toBeUndefined()
  })

  it('moves to the last remaining tab when the active one was closed', () => {
    const state = visit(open('a', 'b'), page('c', { search: '?q=1' }))
    expect(nextAfterClose(close(state, '/a'), '/a')).toBe('/c?q=1')
  })

  it('moves home when none is left', () => {
    expect(nextAfterClose(close(open('a'), '/a'), '/a')).toBe('/')
  })
})

import { describe, expect, it } from 'vitest'
import { screen, screens, tree } from './fixtures'
import { decide, type GuardView, homeOf, safeRedirect } from './guard'
import { generateRoutes } from './routes'

const routes = generateRoutes(tree, screens)
const view = (more: Partial<GuardView>): GuardView => ({
  path: '/clientUser',
  token: 't',
  roles: ['clientUser:list'],
  routes,
  screens,
  ...more,
})

describe('decide', () => {
  it('sends somebody without a token to login, and remembers where he wanted to go', () => {
    expect(decide(view({ token: '', path: '/clientUser', search: '?a=1' }))).toEqual({
      kind: 'go',
      to: '/login?redirect=%2FclientUser%3Fa%3D1',
    })
    expect(decide(view({ token: '', path: '/' }))).toEqual({ kind: 'go', to: '/login' })
  })

  it('fetches the rights when the roles are empty', () => {
    expect(decide(view({ roles: [] }))).toEqual({ kind: 'load' })
  })

  it('leads / to the client users', () => {
    expect(decide(view({ path: '/' }))).toEqual({ kind: 'go', to: '/clientUser' })
  })

  it('lets people pass to their pages', () => {
    expect(decide(view({}))).toMatchObject({ kind: 'pass', route: { path: '/clientUser' } })
  })

  it('follows a page that was moved to another section', () => {
    const moved = generateRoutes(
      [{ path: '/ops', name: 'x', children: [{ path: 'people', name: 'y', code: 'clientUser' }] }],
      screens,
    )
    const to = '/ops/people?detail=7'
    expect(decide(view({ routes: moved, search: '?detail=7' }))).toEqual({ kind: 'go', to })
    expect(homeOf(moved)).toBe('/ops/people')
  })

  it('follows the page of one thing as well', () => {
    const below = screens.map((each) => (each.code === 'clientUser' ? { ...each, below: true } : each))
    const moved = generateRoutes(
      [{ path: '/ops', name: 'x', children: [{ path: 'people', name: 'y', code: 'clientUser' }] }],
      below,
    )
    const at = (path: string, more: object = {}) => decide(view({ path, routes: moved, screens: below, ...more }))
    expect(at('/clientUser/7')).toEqual({ kind: 'go', to: '/ops/people/7' })
    expect(at('/ops/people/7')).toMatchObject({ kind: 'pass' })
    expect(at('/clientUser/7', { routes: [] })).toEqual({ kind: 'go', to: '/401' })
    expect(at('/clientUser/7/8')).toEqual({ kind: 'go', to: '/404' })
  })

  it('leads to 401 when a role is missing or the menu does not hold the page', () => {
    const guarded = generateRoutes(tree, [screen('/clientUser', { roles: ['other'] })])
    expect(decide(view({ routes: guarded }))).toEqual({ kind: 'go', to: '/401' })
    expect(decide(view({ routes: guarded, roles: ['admin'] }))).toMatchObject({ kind: 'pass' })
    expect(decide(view({ routes: [], path: '/dashboard' }))).toEqual({ kind: 'go', to: '/401' })
  })

  it('leads to 404 when there is no such page at all', () => {
    expect(decide(view({ path: '/nope' }))).toEqual({ kind: 'go', to: '/404' })
  })
})

describe('homeOf', () => {
  it('is the first page for somebody who may not see client users', () => {
    expect(homeOf(routes.filter((route) => route.path === '/'))).toBe('/dashboard')
  })

  it('is 401 for somebody who may see nothing', () => {
    expect(homeOf([])).toBe('/401')
  })
})

describe('safeRedirect', () => {
  it.each([
    ['/clientUser?a=1', '/clientUser?a=1'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['https://evil.example', '/'],
    [null, '/'],
  ])('%s leads to %s', (target, to) => {
    expect(safeRedirect(target)).toBe(to)
  })
})

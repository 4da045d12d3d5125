import { describe, expect, it } from 'vitest'
import { screen, screens, tree } from './fixtures'
import { allowedRoutes, allPages, authorizationConfig, chainTo, generateRoutes, routeAt, routeOfScreen } from './routes'

const routes = generateRoutes(tree, screens)

describe('generateRoutes', () => {
  it('makes a parent of each section, with its path, name and icon', () => {
    expect(routes.map(({ path, title, icon }) => ({ path, title, icon }))).toEqual([
      { path: '/', title: '概览', icon: 'dashboard' },
      { path: '/clientUser', title: '客户端用户', icon: 'user' },
      { path: '/licence', title: '授权', icon: '' },
    ])
  })

  it('makes sub-routes titled by their names, at parent path plus child path', () => {
    expect(routeAt(routes, '/clientUser/records')).toMatchObject({ title: '记录', noCache: true })
  })

  it('gives every route the button-permission level 2', () => {
    expect(allPages(routes).every(({ route }) => route.buttonPermission === '2')).toBe(true)
  })

  it('lets a section share its path with its first screen', () => {
    expect(chainTo(routes, '/clientUser').map(({ title, noRedirect }) => [title, noRedirect])).toEqual([
      ['客户端用户', true],
      ['客户端用户', false],
    ])
  })

  it('adds the hidden sub-route authorize to the authorization entry, and to no other', () => {
    const withIt = allPages(routes).filter(({ route }) => route.name === 'authorizationConfig')
    expect(withIt).toHaveLength(1)
    expect(withIt[0]?.route).toMatchObject({ path: authorizationConfig.path, hidden: true })
    expect(withIt[0]?.above.map(({ path }) => path)).toEqual(['/licence', '/licence/statistics'])
  })

  it('has a place without a screen for an entry that this build does not contain', () => {
    const unknown = generateRoutes([{ path: '/x', name: 'x', children: [{ path: 'y', name: 'y' }] }], screens)
    expect(routeAt(unknown, '/x/y')).toMatchObject({ title: 'y', isPage: true })
    expect(routeAt(unknown, '/x/y')?.screen).toBeUndefined()
    expect(routeAt(unknown, '/x')).toBeUndefined()
  })

  it('keeps the page of an entry that was moved to another section', () => {
    const moved = generateRoutes(
      [
        { path: '/clientUser', name: '客户端用户', code: 'clientUsers', children: [] },
        { path: '/ops', name: '运维', code: 'custom-1', children: [{ path: '', name: '用户', code: 'clientUser' }] },
      ],
      screens,
    )
    expect(routeAt(moved, '/ops')?.screen?.path).toBe('/clientUser')
    expect(routeAt(moved, '/clientUser')).toBeUndefined()
    expect(routeOfScreen(moved, '/clientUser')?.path).toBe('/ops')
  })

  it('moves the hidden sub-route authorize with its entry', () => {
    const moved = generateRoutes(
      [{ path: '/ops', name: '运维', children: [{ path: 'licence', name: '授权统计', code: 'licence.statistics' }] }],
      screens,
    )
    expect(routeAt(moved, '/ops/licence/authorize')).toMatchObject({ name: 'authorizationConfig', hidden: true })
  })

  it('does not take an act for a place', () => {
    expect(routeAt(routes, '/clientUser')?.children).toEqual([])
  })

  it('adds the pages of everybody, hidden', () => {
    const own = generateRoutes([], [screen('/own', { everybody: true })])
    expect(routeAt(own, '/own')).toMatchObject({ hidden: true })
  })
})

describe('the page of one thing', () => {
  const routes = generateRoutes(tree, [screen('/clientUser', { below: true }), screen('/clientUser/records')])

  it('belongs to the route of its screen', () => {
    expect(routeAt(routes, '/clientUser/17')?.path).toBe('/clientUser')
    expect(routeAt(routes, '/clientUser/records/17')).toBeUndefined()
    expect(routeAt(routes, '/clientUser/17/more')).toBeUndefined()
    expect(routeAt(routes, '/clientUser/')).toBeUndefined()
  })

  it('never hides a screen of that name', () => {
    expect(routeAt(routes, '/clientUser/records')?.path).toBe('/clientUser/records')
  })
})

describe('allowedRoutes', () => {
  const guarded = generateRoutes(tree, [
    screen('/dashboard'),
    screen('/clientUser', { roles: ['clientUser:list'] }),
    screen('/clientUser/records', { roles: ['clientUserRecord:list'] }),
  ])
  const pages = (roles: string[]) => allPages(allowedRoutes(guarded, roles)).map(({ route }) => route.path)

  it('gives the admin everything', () => {
    expect(pages(['admin'])).toEqual(['/dashboard', '/clientUser', '/clientUser/records', '/licence/statistics'])
  })

  it('gives others what lists one of their roles, and what lists none; children too', () => {
    expect(pages(['clientUserRecord:list'])).toEqual(['/dashboard', '/clientUser/records', '/licence/statistics'])
  })
})

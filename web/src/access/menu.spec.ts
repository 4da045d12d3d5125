import { describe, expect, it } from 'vitest'
import { rolesOf } from './access'
import { tree } from './fixtures'
import { codesOf, joinPath } from './menu'

describe('joinPath', () => {
  it.each([
    ['/', 'dashboard', '/dashboard'],
    ['/device', 'panel', '/device/panel'],
    ['/device', '/panel', '/device/panel'],
    ['/device/', '/device/panel', '/device/panel'],
    ['/clientUser', '', '/clientUser'],
    ['/', 'https://example.com/help', 'https://example.com/help'],
  ])('%s + %s = %s', (parent, child, whole) => {
    expect(joinPath(parent, child)).toBe(whole)
  })

  it('does not take a path that only begins alike for one that is already whole', () => {
    expect(joinPath('/user', '/userGroups')).toBe('/user/userGroups')
  })
})

describe('roles', () => {
  it('are the codes of the third level', () => {
    expect(codesOf(tree)).toEqual(['clientUser:list', 'clientUserRecord:list'])
  })

  it('are joined with what the server computed', () => {
    expect(rolesOf(tree, { roles: ['clientUser:list', 'x:y'] })).toEqual([
      'clientUser:list',
      'x:y',
      'clientUserRecord:list',
    ])
  })

  it('are admin alone when nobody names any', () => {
    expect(rolesOf([], {})).toEqual(['admin'])
  })

  it('are not admin for somebody to whom the server gives none', () => {
    expect(rolesOf([], { roles: ['none'] })).toEqual(['none'])
  })
})

import { describe, expect, it } from 'vitest'
import { screen, screens, tree } from '@/access/fixtures'
import { chainTo, generateRoutes } from '@/access/routes'
import { setScreens } from '@/access/screens'
import { componentOf } from '../global-errors'
import { crumbsOf } from './breadcrumbs'
import { findPages } from './quick-search'
import { wheelStep } from './wheel'

const routes = generateRoutes(tree, screens)

describe('breadcrumbs', () => {
  it('neither the last crumb nor a route marked no-redirect is a link', () => {
    const crumbs = crumbsOf(chainTo(routes, '/licence/statistics/authorize'))
    expect(crumbs.map(({ title, to }) => [title, to])).toEqual([
      ['授权', undefined],
      ['授权统计', '/licence/statistics'],
      ['authorizationConfig', undefined],
    ])
  })

  it('leave out routes without a title', () => {
    const untitled = generateRoutes([{ path: '/a', name: '', children: [{ path: 'b', name: 'B' }] }], [screen('/a/b')])
    expect(crumbsOf(chainTo(untitled, '/a/b')).map(({ title }) => title)).toEqual(['B'])
  })

  it('are empty where there is no page', () => {
    expect(crumbsOf(chainTo(routes, '/nope'))).toEqual([])
  })
})

describe('quick search', () => {
  it('finds by either language, by path and by every word', () => {
    setScreens([screen('/clientUser/records', { title: ['记录', 'Records'] })])
    const found = (text: string) => findPages(routes, text, 'zh').map(({ path }) => path)
    expect(found('记录')).toEqual(['/clientUser/records'])
    expect(found('RECORDS')).toEqual(['/clientUser/records'])
    expect(found('client rec')).toEqual(['/clientUser/records'])
    expect(found('')).toHaveLength(5)
    expect(found('zzz')).toEqual([])
  })
})

describe('the wheel', () => {
  it('moves the sidebar three times the delta', () => {
    expect(wheelStep({ deltaY: 40, deltaMode: 0 }, 600)).toBe(120)
    expect(wheelStep({ deltaY: -3, deltaMode: 1 }, 600)).toBe(-144)
    expect(wheelStep({ deltaY: 1, deltaMode: 2 }, 600)).toBe(1800)
  })
})

describe('the error log', () => {
  it('names the innermost component', () => {
    expect(componentOf('\n    at RecordsTable (app.js:1:2)\n    at Page (app.js:3:4)')).toBe('RecordsTable')
    expect(componentOf(undefined)).toBe('')
  })
})

import { describe, expect, it } from 'vitest'
import { screen, screens, tree } from './fixtures'
import { generateRoutes } from './routes'
import { type SidebarItem, sidebarItems } from './sidebar-items'

const outline = (items: SidebarItem[]): unknown =>
  items.map(({ title, path, children }) => (path ? `${title} → ${path}` : { [title]: outline(children) }))

describe('sidebarItems', () => {
  it('shows a section with one visible child as that child, and others as groups', () => {
    expect(outline(sidebarItems(generateRoutes(tree, screens)))).toEqual([
      '首页看板 → /dashboard',
      { 客户端用户: ['客户端用户 → /clientUser', '记录 → /clientUser/records'] },
      '授权统计 → /licence/statistics',
    ])
  })

  it('uses the icon of the section when the single child has none', () => {
    expect(sidebarItems(generateRoutes(tree, screens))[0]?.icon).toBe('dashboard')
  })

  it('keeps a group when the single child has children of its own, and repeats the rule below', () => {
    const deep = [
      {
        path: '/a',
        name: 'A',
        children: [
          {
            path: 'b',
            name: 'B',
            children: [
              { path: 'c', name: 'C' },
              { path: 'd', name: 'D' },
            ],
          },
        ],
      },
    ]
    const routes = generateRoutes(deep, [screen('/a/b/c'), screen('/a/b/d')])
    expect(outline(sidebarItems(routes))).toEqual([{ A: [{ B: ['C → /a/b/c', 'D → /a/b/d'] }] }])
  })

  it('leaves out what is hidden, and counts only what is visible', () => {
    const hidden = structuredClone(tree)
    const records = hidden[1]?.children?.[1]
    if (records) records.visible = false
    expect(outline(sidebarItems(generateRoutes(hidden, screens)))).toContain('客户端用户 → /clientUser')
  })

  it('lists entries whose page does not exist here: the menu is what the server says', () => {
    expect(outline(sidebarItems(generateRoutes(tree, [])))).toContain('授权统计 → /licence/statistics')
  })

  it('leaves out a section that is empty or in which everything is hidden', () => {
    const empty = [{ path: '/a', name: 'A', children: [{ path: 'b', name: 'B', visible: false }] }]
    expect(sidebarItems(generateRoutes([...empty, { path: '/own', name: '空' }], []))).toEqual([])
  })
})

import type { MenuEntry } from './menu'
import type { Screen } from './screens'

/** A screen as a feature would declare it, for tests. */
export const screen = (path: string, more: Partial<Screen> = {}): Screen => ({
  code: path.slice(1).replaceAll('/', '.'),
  path,
  title: [`中文${path}`, `English ${path}`],
  load: () => Promise.reject(new Error('not loaded in tests')),
  ...more,
})

/** A small tree in the server's shape, for tests. */
export const tree: MenuEntry[] = [
  { id: 1, path: '/', name: '概览', icon: 'dashboard', children: [{ id: 2, path: 'dashboard', name: '首页看板' }] },
  {
    id: 3,
    path: '/clientUser',
    name: '客户端用户',
    icon: 'user',
    children: [
      { id: 4, path: '', name: '客户端用户', children: [{ id: 5, path: '', name: '查看', code: 'clientUser:list' }] },
      {
        id: 6,
        path: 'records',
        name: '记录',
        children: [{ id: 7, path: '', name: '查看', code: 'clientUserRecord:list' }],
      },
    ],
  },
  {
    id: 8,
    path: '/licence',
    name: '授权',
    children: [{ id: 9, path: '/statistics', name: '授权统计', children: [] }],
  },
]

export const screens: Screen[] = [
  screen('/dashboard'),
  screen('/clientUser'),
  screen('/clientUser/records', { noCache: true }),
  screen('/licence/statistics'),
  screen('/licence/statistics/authorize'),
]

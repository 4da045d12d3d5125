import type { Screen } from '@/access/screens'
import type { SearchSource } from '@/access/search-sources'

export const searchSources: SearchSource[] = [
  { kind: 'clientUser', title: ['客户端用户', 'Client users'], need: 'clientUser:list' },
]

export const screens: Screen[] = [
  {
    code: 'clientUser',
    path: '/clientUser',
    title: ['客户端用户', 'Client users'],
    load: () => import('./users/page'),
  },
  {
    code: 'clientUserRecords',
    path: '/clientUser/records',
    title: ['注册与登录记录', 'Registration and logout records'],
    load: () => import('./records/page'),
  },
  {
    code: 'clientUserLoggedOut',
    path: '/clientUser/loggedOut',
    title: ['注销账号', 'Logged-out accounts'],
    load: () => import('./logged-out/page'),
  },
]

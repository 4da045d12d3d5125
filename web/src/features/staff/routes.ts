import type { Screen } from '@/access/screens'

export const screens: Screen[] = [
  {
    code: 'operators',
    path: '/user/management',
    title: ['用户管理', 'User management'],
    load: () => import('./operators/page'),
  },
  {
    code: 'systemInfo',
    path: '/user/systemInfo',
    title: ['系统用户信息', 'System user info'],
    everybody: true,
    load: () => import('./profile/page'),
  },
  {
    code: 'groups',
    path: '/user/groups',
    title: ['权限组', 'Permission groups'],
    load: () => import('./groups/page'),
  },
  {
    code: 'menus',
    path: '/user/menus',
    title: ['菜单管理', 'Menu management'],
    load: () => import('./menus/page'),
  },
  {
    code: 'operationLog',
    path: '/user/operationLog',
    title: ['操作日志', 'Operation log'],
    load: () => import('./operation-log/page'),
  },
]

import type { Screen } from '@/access/screens'

export const screens: Screen[] = [
  {
    code: 'introduction',
    path: '/introduction',
    title: ['系统介绍', 'Introduction'],
    load: () => import('./introduction/page'),
  },
  {
    code: 'permissionTest',
    path: '/permissionTest',
    title: ['权限测试', 'Permission test'],
    load: () => import('./permission-test/page'),
  },
]

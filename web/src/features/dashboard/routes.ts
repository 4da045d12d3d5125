import type { Screen } from '@/access/screens'

export const screens: Screen[] = [
  { code: 'dashboard', path: '/dashboard', title: ['首页看板', 'Dashboard'], load: () => import('./page') },
]

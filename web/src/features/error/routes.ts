import type { Screen } from '@/access/screens'

export const screens: Screen[] = [
  { code: 'errorLog', path: '/errorLog', title: ['错误日志', 'Error log'], load: () => import('./log/page') },
]

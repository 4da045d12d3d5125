import type { Screen } from '@/access/screens'

export const screens: Screen[] = [
  { code: 'tasks', path: '/tasks', title: ['任务管理', 'Task management'], load: () => import('./page') },
]

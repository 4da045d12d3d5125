import type { Screen } from '@/access/screens'
import { screens as catalogue } from '@/api/catalogue'

export const screens: Screen[] = [
  { ...catalogue.operators, load: () => import('./operators/page') },
  { ...catalogue.systemInfo, everybody: true, load: () => import('./profile/page') },
  { ...catalogue.groups, load: () => import('./groups/page') },
  { ...catalogue.menus, load: () => import('./menus/page') },
  { ...catalogue.operationLog, load: () => import('./operation-log/page') },
]

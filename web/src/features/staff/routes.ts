import type { Screen } from '@/access/screens'
import { screens as catalogue } from '@/api/catalogue'
import { asks } from '@/api/page-call'

export const screens: Screen[] = [
  { ...catalogue.operators, load: () => import('./operators/page') },
  {
    ...catalogue.systemInfo,
    calls: () => [asks('ownProfileGet', {})],
    everybody: true,
    load: () => import('./profile/page'),
  },
  { ...catalogue.groups, load: () => import('./groups/page') },
  { ...catalogue.menus, load: () => import('./menus/page') },
  { ...catalogue.operationLog, load: () => import('./operation-log/page') },
]

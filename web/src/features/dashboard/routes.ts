import type { Screen } from '@/access/screens'
import { screens as catalogue } from '@/api/catalogue'
import { asks } from '@/api/page-call'

export const screens: Screen[] = [
  {
    ...catalogue.dashboard,
    calls: (search) => (search.has('days') ? [] : [asks('dashboard', { query: { days: 7 } })]),
    load: () => import('./page'),
  },
]

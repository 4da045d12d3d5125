import type { Screen } from '@/access/screens'
import { screens as catalogue } from '@/api/catalogue'

export const screens: Screen[] = [
  { ...catalogue.cloudPhoneList, below: true, load: () => import('./list/page') },
  { ...catalogue.cloudPhoneSessions, load: () => import('./sessions/page') },
  { ...catalogue.cloudPhoneRules, load: () => import('./rules/page') },
]

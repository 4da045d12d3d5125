import type { Screen } from '@/access/screens'
import { screens as catalogue } from '@/api/catalogue'

export const screens: Screen[] = [
  { ...catalogue.clientUser, load: () => import('./users/page') },
  { ...catalogue.clientUserRecords, load: () => import('./records/page') },
  { ...catalogue.clientUserLoggedOut, load: () => import('./logged-out/page') },
]

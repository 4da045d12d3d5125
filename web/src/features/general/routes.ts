import type { Screen } from '@/access/screens'
import { screens as catalogue } from '@/api/catalogue'

export const screens: Screen[] = [
  { ...catalogue.introduction, load: () => import('./introduction/page') },
  { ...catalogue.permissionTest, load: () => import('./permission-test/page') },
]

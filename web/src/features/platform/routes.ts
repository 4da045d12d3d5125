import type { Screen } from '@/access/screens'
import { screens as catalogue } from '@/api/catalogue'
import { asks } from '@/api/page-call'

export const screens: Screen[] = [
  {
    ...catalogue.signInSetting,
    calls: () => [asks('signInSettingGet', {})],
    load: () => import('./sign-in-security/page'),
  },
  { ...catalogue.serviceAddresses, load: () => import('./address/page') },
  { ...catalogue.openApps, load: () => import('./third-party/page') },
]

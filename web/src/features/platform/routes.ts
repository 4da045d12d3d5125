import type { Screen } from '@/access/screens'
import { screens as catalogue } from '@/api/catalogue'

export const screens: Screen[] = [{ ...catalogue.signInSetting, load: () => import('./sign-in-security/page') }]

import type { Screen } from '@/access/screens'

export const screens: Screen[] = [
  {
    code: 'signInSetting',
    path: '/platform/signInSecurity',
    title: ['登录安全', 'Sign-in security'],
    load: () => import('./sign-in-security/page'),
  },
]

import type { Pair } from '@/i18n/messages'

/** What no copy brings back: said wherever somebody is about to lose it, or to wait for it in vain. */
export const staysBehind: Pair = [
  '账号、密钥、DRM 和锁屏与板卡绑定，不会恢复，应用可能要求重新登录',
  'Accounts, keys, DRM and the screen lock are bound to the board and do not come back, so apps may ask to sign in again',
]

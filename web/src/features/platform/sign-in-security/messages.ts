import { words } from '@/api/words/SignIn'
import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  hint: [
    '操作员如何登录控制台；保存后立即生效',
    'How operators sign in to the console; takes effect as soon as it is saved',
  ],
  fields: words,
  neverHint: ['0 表示永不过期', '0 means never'],
  singleHint: ['开启后，再次登录会使之前的登录失效', 'Signing in again ends the earlier session'],
})

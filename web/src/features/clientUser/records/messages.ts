import { words as clientUserRecordWords } from '@/api/words/ClientUserRecordView'
import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  empty: ['还没有记录', 'No records yet'],
  emptyHint: [
    '客户端用户注册、登录或退出后会出现在这里',
    'Records appear here when client users register, sign in or sign out',
  ],
  search: ['姓名、手机号、IP 地址', 'Name, phone or IP address'],
  fields: clientUserRecordWords,
})

import { title, words } from '@/api/words/PhoneLife'
import { defineMessages } from '@/i18n/messages'

/** How long a released phone can be had back, and how long steps are kept. */
export const rulesMessages = defineMessages({
  title,
  hint: [
    '释放的云手机先保留，再清除；到期后保留几天在云手机规则中设置，在机备份的周期在存储节点中设置',
    'A released phone is kept, then erased. For how long an expired one is kept is one of the phone rules; how often phones are backed up is set at each storage node',
  ],
  fields: words,
  stepDaysHint: [
    '“过程”中的记录保留多少天；上机和下机的记录随云手机保留',
    'For how many days “Steps” keeps what was done; put-ons and take-offs stay as long as the phone',
  ],
  stayHint: ['释放后多少天内可恢复，之后清除', 'For how long a released phone can be restored before it is erased'],
})

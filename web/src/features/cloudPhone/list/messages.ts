import { title } from '@/api/words/PhoneLife'
import { words as phoneWords } from '@/api/words/PhoneView'
import { defineMessages } from '@/i18n/messages'

/** The list of phones. */
export const messages = defineMessages({
  empty: ['还没有云手机', 'No cloud phones yet'],
  emptyHint: [
    '为客户端用户新建云手机，或从表格导入；下单后也会出现在这里',
    'Create phones for a client user or import them from a spreadsheet; orders will appear here too',
  ],
  search: ['编号、名称、用户、手机号、卡地址', 'Code, name, user, phone number or card address'],
  fields: {
    ...phoneWords,
    // The file counts bytes; the screen shows units.
    usedBytes: ['已用空间', 'Used space'],
    userId: phoneWords.user,
    roomId: phoneWords.room,
    held: ['待处理', 'To decide'],
    expiresSoon: ['7 天内到期', 'Due in 7 days'],
    noBackup: ['在机无备份', 'On, without a backup'],
    queued: ['排队等卡', 'Queued for a card'],
    failed: ['24 小时内上下机失败', 'Failed to come or go in 24 h'],
  },
  viewOn: ['在机', 'On'],
  viewOff: ['下机', 'Off'],
  viewFrozen: ['冻结', 'Frozen'],
  viewExpired: ['到期宽限', 'In grace'],
  viewHeld: ['待处理', 'To decide'],
  viewSoon: ['7 天内到期', 'Due in 7 days'],
  create: ['新建云手机', 'New cloud phones'],
  import: ['导入', 'Import'],
  rules: title,
})

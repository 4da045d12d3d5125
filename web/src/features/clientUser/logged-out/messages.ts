import { words as logoutRequestWords } from '@/api/words/LogoutRequestView'
import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  empty: ['没有注销申请', 'No logout requests'],
  emptyHint: [
    '客户端用户申请注销账号后会出现在这里',
    'Requests appear here when client users ask to close their accounts',
  ],
  search: ['姓名、手机号', 'Name or phone'],
  fields: logoutRequestWords,
  cancel: ['撤销申请', 'Withdraw'],
  cancelQuestion: ['撤销后账号保留，客户端用户可以继续使用', 'The account is kept, and the user can go on using it'],
  complete: ['完成注销', 'Complete'],
  completeQuestion: [
    '注销后账号不可恢复，客户端用户会立即被强制下线；其云手机会被释放，保留期后数据被清除',
    'The account cannot be recovered, and the user is signed out immediately. The cloud phones are released, and erased after their stay',
  ],
  givenUp: ['书面放弃余额的凭据', 'Where the balance is given up in writing'],
  givenUpHint: [
    '如工单号或信函编号；还有星币时必填',
    'Such as the number of a ticket or letter; needed where star coins are left',
  ],
  isHandled: ['该申请已处理', 'This request has already been handled'],
})

import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  title: ['注销账号', 'Logged-out accounts'],
  empty: ['没有注销申请', 'No requests to close an account'],
  emptyHint: ['用户在客户端申请注销账号后会出现在这里', 'They appear when a client user asks to close the account'],
  search: ['姓名、手机号', 'Name or phone'],
  fields: {
    name: ['用户', 'User'],
    phone: ['手机号', 'Phone'],
    requestedAt: ['申请时间', 'Requested at'],
    status: ['状态', 'Status'],
    reRegistered: ['是否重新注册', 'Registered again'],
    reRegisteredAt: ['重新注册时间', 'Registered again at'],
    handledAt: ['处理时间', 'Handled at'],
    handledBy: ['处理人', 'Handled by'],
  },
  cancel: ['撤销申请', 'Withdraw'],
  cancelQuestion: ['撤销后账号保留，用户可以继续使用', 'The account lives on and can be used as before'],
  complete: ['完成注销', 'Complete'],
  completeQuestion: [
    '注销后账号不可恢复，用户会立即被强制下线',
    'The account cannot be brought back, and its user is signed out at once',
  ],
  isHandled: ['该申请已处理', 'This request has been handled'],
})

import { counted, defineMessages } from '@/i18n/messages'

export const preflightMessages = defineMessages({
  looking: ['正在预检…', 'Running the pre-flight check…'],
  lookFailed: ['预检失败，可以重试', 'The pre-flight check failed; try again'],
  hits: (count: string) => [
    `会影响 ${count} 位正在使用的客户端用户`,
    `Affects ${counted(count, 'user')} who are on now`,
  ],
  approval: [
    '数量较大，需要另一位操作员批准后才会开始',
    'Large operation: another operator must approve it before it starts',
  ],
})

import { defineMessages } from '@/i18n/messages'

export const shellMessages = defineMessages({
  title: (name: string) => [`Shell：${name}`, `Shell on ${name}`],
  terminal: ['终端', 'Terminal'],
  opening: ['正在连接…', 'Connecting…'],
  opened: ['已连接', 'Connected'],
  ended: ['已结束', 'Ended'],
  exit: (code: number) => [`终端已退出，退出码 ${code}`, `The shell exited with code ${code}`],
  lost: ['连接已断开', 'Connection lost'],
  recorded: ['此会话中的输入会写入操作日志。', 'Everything typed in this session is recorded in the operation log.'],
  again: ['重新连接', 'Reconnect'],
  open: ['打开终端', 'Open shell'],
  why: [
    '卡上有客户的云手机或其数据：请说明打开终端的原因，将写入操作日志。对云手机执行操作时，终端自动结束',
    "A customer's phone is on this card, or something of it: say why you open a shell. It is written to the operation log, and the shell ends when something is done to the phone",
  ],
  maybeWhy: [
    '卡上若有客户的云手机，须说明打开终端的原因，将写入操作日志',
    "If a customer's phone is on this card, say why you open a shell. It is written to the operation log",
  ],
})

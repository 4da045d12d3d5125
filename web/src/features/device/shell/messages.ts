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
})

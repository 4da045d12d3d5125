import { defineMessages } from '@/i18n/messages'
import { defineChoices } from '../choices'

/** How a background task stands. */
export const taskState = defineChoices({
  queued: { value: 'queued', label: ['排队中', 'Queued'], tone: 'muted' },
  running: { value: 'running', label: ['进行中', 'Running'], tone: 'busy' },
  succeeded: { value: 'succeeded', label: ['已完成', 'Succeeded'], tone: 'good' },
  failed: { value: 'failed', label: ['失败', 'Failed'], tone: 'bad' },
  cancelled: { value: 'cancelled', label: ['已取消', 'Cancelled'], tone: 'warn' },
})

export const taskMessages = defineMessages({
  title: ['后台任务', 'Background task'],
  progress: (done: string, total: string) => [`${done} / ${total}`, `${done} of ${total}`],
  goesOn: [
    '可以关闭此窗口，任务会在后台继续，进度见“任务管理”',
    'You may close this; the task goes on. Find it under Task management',
  ],
  cancel: ['取消任务', 'Cancel task'],
  cancelQuestion: ['已处理的部分会保留，未处理的不再继续', 'What is done stays done; the rest is not started'],
  retry: ['重新执行', 'Run again'],
  download: (name: string, size: string) => [`下载 ${name}（${size}）`, `Download ${name} (${size})`],
})

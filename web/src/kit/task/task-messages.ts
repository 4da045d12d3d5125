import { words as taskStateNameWords } from '@/api/words/TaskStateName'
import { defineMessages } from '@/i18n/messages'
import { defineChoices } from '../choices'

/** The state of a background task. */
export const taskState = defineChoices(taskStateNameWords, {
  queued: 'muted',
  running: 'busy',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'warn',
})

export const taskMessages = defineMessages({
  title: ['后台任务', 'Background task'],
  progress: (done: string, total: string) => [`${done} / ${total}`, `${done} of ${total}`],
  goesOn: [
    '可以关闭此窗口，任务会在后台继续，进度见“任务管理”',
    'You may close this window: the task continues in the background. See Task management',
  ],
  cancel: ['取消任务', 'Cancel task'],
  cancelQuestion: [
    '已处理的部分会保留，未处理的不再继续',
    'What has been processed is kept; the rest will not be processed',
  ],
  retry: ['重新执行', 'Run again'],
  noDownload: [
    '缺少该列表的导出权限，不能下载其中的内容',
    'You do not have permission to export this list, so you cannot download the file',
  ],
  download: (name: string, size: string) => [`下载 ${name}（${size}）`, `Download ${name} (${size})`],
})

import { counted, defineMessages, type Pair } from '@/i18n/messages'

/** About how long something takes, in the unit that says enough. */
function about(seconds: number): Pair {
  const minutes = Math.round(seconds / 60)
  if (seconds < 60) return [`${Math.ceil(seconds)} 秒`, counted(Math.ceil(seconds), 'second')]
  if (minutes < 60) return [`${minutes} 分钟`, counted(minutes, 'minute')]
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return [`${hours} 小时 ${rest} 分钟`, `${counted(hours, 'hour')} ${counted(rest, 'minute')}`]
}

export const transferMessages = defineMessages({
  progressOf: (name: string) => [`上传进度：${name}`, `Upload of ${name}`],
  sent: (sent: string, size: string) => [`已上传 ${sent} / ${size}`, `${sent} of ${size} sent`],
  speed: (size: string) => [`${size}/s`, `${size}/s`],
  left: (seconds: number) => [`约剩 ${about(seconds)[0]}`, `about ${about(seconds)[1]} left`],
  checking: ['已传完，正在检查文件…', 'All sent; the file is being checked…'],
  waiting: (why: string) => [
    `${why}。此前已上传的部分不会丢失，稍后自动继续`,
    `${why}. What had come before is kept; the upload goes on by itself`,
  ],
  paused: ['已暂停', 'Paused'],
  stopped: (why: string) => [`${why}。此前已上传的部分不会丢失`, `${why}. What had come before is kept`],
  pause: ['暂停', 'Pause'],
  goOn: ['继续上传', 'Go on'],
  giveUp: ['放弃上传', 'Give up'],
  unfinished: (name: string, percent: number) => [
    `${name} 上次传到 ${percent}%，再次选择该文件即可继续`,
    `${name} was sent to ${percent}%; choose the same file again to go on`,
  ],
  keptUntil: ['保留到', 'Kept until'],
  lost: ['网络连接中断', 'The connection was lost'],
  unreadable: [
    '无法读取文件：它可能已被修改、移动或删除，请重新选择',
    'The file cannot be read: it may have been changed, moved or deleted. Choose it again',
  ],
})

import { defineMessages } from '@/i18n/messages'

export const orderMessages = defineMessages({
  move: (name: string) => [`移动 ${name}`, `Move ${name}`],
  keys: ['拖动，或按方向键移动', 'Drag, or use the arrow keys'],
  up: (name: string) => [`上移 ${name}`, `Move ${name} up`],
  down: (name: string) => [`下移 ${name}`, `Move ${name} down`],
  moved: (name: string, at: number, count: number) => [
    `${name} 已移到第 ${at} 位，共 ${count} 位`,
    `${name} is now number ${at} of ${count}`,
  ],
  few: ['至少有两项才能排序', 'At least two entries are needed to sort'],
})

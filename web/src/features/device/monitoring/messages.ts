import { words as cardWords } from '@/api/words/CardView'
import { words as roomWords } from '@/api/words/RoomView'
import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  room: cardWords.room,
  frame: cardWords.frame,
  host: cardWords.host,
  compare: ['对比机房', 'Compare with'],
  choose: ['选择机房', 'Choose a room'],
  whole: ['整个', 'The whole'],
  hours: (count: number) => [
    count < 48 ? `${count} 小时` : `${count / 24} 天`,
    count < 48 ? `${count} h` : `${count / 24} days`,
  ],
  refresh: ['自动刷新', 'Auto refresh'],
  noData: ['这段时间没有数据', 'No data for this period'],
  noDataHint: ['机房代理上报后，每分钟保存一次', 'Saved once a minute while a room agent reports'],
  counts: ['设备数量', 'Cards'],
  load: ['资源占用 (%)', 'Usage (%)'],
  heat: ['温度 (°C)', 'Temperature (°C)'],
  limit: (value: number) => [`阈值 ${value}`, `Limit ${value}`],
  stale: (at: string) => [`数据停在 ${at}`, `Data stopped at ${at}`],
  online: roomWords['counts.online'],
  inUse: roomWords['counts.inUse'],
  fault: roomWords['counts.fault'],
  offline: roomWords['counts.offline'],
  cpu: ['CPU', 'CPU'],
  memory: ['内存', 'Memory'],
  storage: ['存储', 'Storage'],
  temperature: ['平均', 'Average'],
  hottest: ['最高', 'Maximum'],
  latency: ['延迟 (ms)', 'Latency (ms)'],
  loss: ['丢包 (%)', 'Loss (%)'],
})

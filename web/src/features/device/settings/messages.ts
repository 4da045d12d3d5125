import { words } from '@/api/words/FleetSettings'
import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  hint: [
    '保存后立即生效，机房代理会收到新的心跳与并发设置',
    'Takes effect immediately; room agents receive the new heartbeat and concurrency settings',
  ],
  presence: ['在线判定', 'Online detection'],
  thresholds: ['告警阈值', 'Alarm thresholds'],
  work: ['任务并发', 'Concurrency'],
  kept: ['数据保留', 'Retention'],
  allowed: ['状态允许时长', 'Time allowed in a state'],
  approvalHint: [
    '同一操作员在同一机房；0 表示无需审批',
    'Dangerous operations and scripts, per operator and room; 0 means never',
  ],
  approvalMinutesHint: ['该时长内发起的操作合并计数', 'Operations started within this time are counted together'],
  allowedHint: ['超过后在设备管理中标记为超时', 'Cards past this time are marked as overdue in Device management'],
  fields: words,
})

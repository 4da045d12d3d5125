import { defineMessages } from '@/i18n/messages'

export const maintenanceMessages = defineMessages({
  drain: ['排空', 'Drain'],
  drainQuestion: ['不再分配新用户，使用中的用户用完为止', 'No new users; those on it stay until they leave'],
  maintain: ['进入维护', 'Start maintenance'],
  maintainQuestion: ['维护期间不分配，也不计为故障', 'Meanwhile nothing is assigned and nothing counts as a fault'],
  restore: ['恢复使用', 'Return to service'],
  restoreQuestion: ['恢复后可以重新分配', 'It can be assigned again'],
  until: ['预计结束', 'Until'],
})

import { words as kindWords } from '@/api/words/OperationKind'
import { defineMessages } from '@/i18n/messages'

export const maintenanceMessages = defineMessages({
  drain: kindWords.drain.label,
  drainQuestion: ['不再分配给新的客户端用户，使用中的用完为止', 'No new users are assigned; current users may finish'],
  maintain: kindWords.maintain.label,
  maintainQuestion: [
    '维护期间不分配，也不计为故障',
    'During maintenance nothing is assigned, and nothing counts as a fault',
  ],
  return: kindWords.return.label,
  returnQuestion: ['恢复后可以重新分配', 'Can be assigned again afterwards'],
  about: (where: string, cards: string, users: string, question: string) => [
    `${where}：${cards} 张卡，${users} 个客户端用户使用中。${question}`,
    `${where}, cards: ${cards}, users on them: ${users}. ${question}`,
  ],
  until: ['预计结束', 'Expected end'],
})

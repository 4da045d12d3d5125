import { defineMessages } from '@/i18n/messages'

/** Words of single kinds of fields and of forms in steps. */
export const formMessages = defineMessages({
  next: ['下一步', 'Next'],
  back: ['上一步', 'Back'],
  steps: ['步骤', 'Steps'],
  stepOf: (at: number, count: number) => [`第 ${at} 步，共 ${count} 步`, `Step ${at} of ${count}`],
  pairKey: ['参数名', 'Key'],
  pairValue: ['参数值', 'Value'],
  pairKeyOf: (at: number) => [`第 ${at} 行的参数名`, `Key in row ${at}`],
  pairValueOf: (at: number) => [`第 ${at} 行的参数值`, `Value in row ${at}`],
  pairRemove: (at: number) => [`删除第 ${at} 行`, `Remove row ${at}`],
  pairAdd: (count: number, most: number) => [`添加参数（${count}/${most}）`, `Add a key (${count} of ${most})`],
})

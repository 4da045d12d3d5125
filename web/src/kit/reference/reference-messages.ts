import { defineMessages } from '@/i18n/messages'

export const referenceMessages = defineMessages({
  gone: (id: string) => [`已删除（#${id}）`, `Deleted (#${id})`],
  search: ['输入名称搜索', 'Type a name to search'],
  none: ['没有可选的记录', 'No records to choose from'],
  noMatch: (keyword: string) => [`没有名称含“${keyword}”的记录`, `No names contain “${keyword}”`],
  shown: (count: string, total: string) => [`已显示 ${count} 条，共 ${total} 条`, `${count} of ${total} shown`],
  waits: ['请先选择上一项', 'Choose the previous field first'],
})

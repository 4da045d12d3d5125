import { words as taskWords } from '@/api/words/TaskView'
import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  empty: ['还没有后台任务', 'No background tasks yet'],
  emptyHint: [
    '大批量的导出、导入和批量操作会作为后台任务运行，并出现在这里',
    'Large exports, imports and bulk operations run as background tasks and appear here',
  ],
  search: ['任务、发起人', 'Task or who started it'],
  fields: {
    ...taskWords,
    progress: ['进度', 'Progress'],
  },
})

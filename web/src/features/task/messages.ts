import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  title: ['任务管理', 'Task management'],
  empty: ['还没有后台任务', 'No background tasks yet'],
  emptyHint: [
    '大批量的导出、导入和批量操作会作为后台任务运行，并出现在这里',
    'Large exports, imports and bulk acts run as background tasks and appear here',
  ],
  search: ['任务、创建人', 'Task or creator'],
  fields: {
    title: ['任务', 'Task'],
    state: ['状态', 'State'],
    progress: ['进度', 'Progress'],
    message: ['说明', 'Message'],
    createdBy: ['创建人', 'Created by'],
    createdAt: ['创建时间', 'Created at'],
    startedAt: ['开始时间', 'Started at'],
    finishedAt: ['结束时间', 'Finished at'],
  },
})

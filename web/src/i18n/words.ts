import { defineMessages } from './messages'

/** Words that many screens share. A screen that means something more precise writes its own. */
export const words = defineMessages({
  sure: ['确定', 'Sure'],
  cancel: ['取消', 'Cancel'],
  tips: ['提示', 'Tips'],
  failed: ['失败', 'Failed'],
  close: ['关闭', 'Close'],
  save: ['保存', 'Save'],
  create: ['新建', 'New'],
  edit: ['编辑', 'Edit'],
  remove: ['删除', 'Delete'],
  search: ['搜索', 'Search'],
  reset: ['重置', 'Reset'],
  refresh: ['刷新', 'Refresh'],
  export: ['导出', 'Export'],
  import: ['导入', 'Import'],
  loading: ['加载中', 'Loading'],
  retry: ['重试', 'Try again'],
  clear: ['清空', 'Clear'],
  detail: ['详情', 'Details'],
  yes: ['是', 'Yes'],
  no: ['否', 'No'],
})

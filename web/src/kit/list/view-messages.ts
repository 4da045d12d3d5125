import { counted, defineMessages } from '@/i18n/messages'

/** The words of saved views. */
export const viewMessages = defineMessages({
  views: ['视图', 'Views'],
  all: ['全部', 'All'],
  rows: (count: number) => [`${count} 条`, counted(count, 'row')],
  moreViews: ['更多视图', 'More views'],
  saveAs: ['存为视图', 'Save as view'],
  saveAsHint: ['保存当前的筛选、排序、列和行高', 'Keeps the filters, order, columns and row height shown now'],
  acts: (name: string) => [`视图“${name}”的操作`, `Actions for view “${name}”`],
  changed: ['已修改', 'changed'],
  save: ['保存修改', 'Save changes'],
  keep: ['保存到我的视图', 'Save to my views'],
  discard: ['放弃修改', 'Discard changes'],
  rename: ['重命名', 'Rename'],
  first: ['设为默认视图', 'Open with this view'],
  notFirst: ['取消默认视图', 'Do not open with this view'],
  isFirst: ['默认视图', 'Opens first'],
  remove: ['删除', 'Delete'],
  removeQuestion: ['删除后无法恢复，列表数据不受影响', 'It cannot be restored. The records are not affected'],
  name: ['视图名称', 'View name'],
  nameTaken: ['已有同名视图', 'There is a view of this name already'],
  full: (most: number) => [`最多保存 ${most} 个视图`, `At most ${most} views can be saved`],
  copyLink: ['复制链接', 'Copy link'],
  copyLinkHint: [
    '打开链接的人看到同样的筛选、排序和列',
    'Whoever opens the link sees the same filters, order and columns',
  ],
  linkCopied: ['链接已复制', 'Link copied'],
})

import { defineMessages } from '@/i18n/messages'

export const settingsMessages = defineMessages({
  save: ['保存', 'Save'],
  undo: ['还原', 'Undo changes'],
  history: ['修改历史', 'History'],
  historyEmpty: ['还没有修改记录，当前为默认值', 'No changes yet: these are the defaults'],
  never: ['当前为默认值，尚未修改过', 'Default values, not changed yet'],
  savedBy: (who: string, when: string) => [`${who} 于 ${when} 修改`, `Changed by ${who} at ${when}`],
  version: (number: number) => [`第 ${number} 版`, `Version ${number}`],
  first: ['首次保存', 'First save'],
  unchanged: ['内容没有变化', 'No changes'],
})

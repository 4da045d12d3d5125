import { words as operationLogWords } from '@/api/words/OperationLogView'
import { words as shellChunkWords } from '@/api/words/ShellChunkView'
import { counted, defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  empty: ['没有符合条件的操作', 'No matching operations'],
  emptyHint: [
    '操作员的每次更改都会记录在这里，不能修改或删除',
    'Every change made by an operator is recorded here and cannot be modified or deleted',
  ],
  search: ['操作员、IP、对象、请求编号', 'Operator, IP, object or request ID'],
  fields: {
    ...operationLogWords,
    operatorId: operationLogWords.operatorName,
    action: operationLogWords.actionName,
    objectKind: operationLogWords.objectKindName,
    hash: ['链上哈希', 'Chain hash'],
  },
  what: ['操作', 'Operation'],
  changes: ['变更内容', 'Changes'],
  typed: ['终端输入', 'Shell input'],
  object: ['对象', 'Object'],
  field: ['字段', 'Field'],
  before: ['变更前', 'Before'],
  after: ['变更后', 'After'],
  unchanged: (count: number) => [`未变的 ${count} 项`, `${counted(count, 'field')} unchanged`],
  none: ['（无）', '(none)'],
  noChanges: ['此操作没有更改任何数据', 'This operation changed no data'],
  checkChain: ['校验完整性', 'Check integrity'],
  chainIsWhole: (lines: string, anchors: string) => [
    `日志完整，共 ${lines} 行，与库外 ${anchors} 个锚点一致`,
    `The log is intact. Lines: ${lines}; matching anchors outside the database: ${anchors}`,
  ],
  chainIsBroken: (line: string, fault: string) => [
    `日志在第 ${line} 行被破坏：${fault}`,
    `The log is corrupted at line ${line}: ${fault}`,
  ],
})

/** What was typed in a shell on a card. */
export const shellMessages = defineMessages({
  title: ['终端输入', 'Shell input'],
  empty: ['没有输入', 'No input'],
  emptyHint: ['打开终端后没有任何按键', 'The shell was opened, but nothing was typed'],
  hint: [
    '按到达顺序逐字节记录；控制字符以符号显示（␍ 回车，␡ 退格）',
    'Recorded byte by byte in order of arrival; control characters are shown as symbols (␍ Enter, ␡ Backspace)',
  ],
  together: ['本页输入', 'Input on this page'],
  export: ['导出输入记录', 'Export input'],
  fields: shellChunkWords,
})

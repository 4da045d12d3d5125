import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  title: ['操作日志', 'Operation log'],
  empty: ['没有符合条件的操作', 'No such operations'],
  emptyHint: [
    '操作员的每次更改都会记录在这里，不能修改或删除',
    'Every change that an operator makes is kept here and cannot be altered',
  ],
  search: ['操作员、IP、对象、请求编号', 'Operator, address, object, request'],
  objectId: ['对象 ID', 'Object ID'],
  fields: {
    at: ['时间', 'Time'],
    actionName: ['操作', 'Operation'],
    operatorName: ['操作员', 'Operator'],
    operatorId: ['操作员', 'Operator'],
    action: ['操作', 'Operation'],
    objectKind: ['对象类型', 'Object kind'],
    objectKindName: ['对象类型', 'Object kind'],
    objectName: ['对象', 'Object'],
    objectId: ['对象 ID', 'Object ID'],
    ip: ['IP 地址', 'Address'],
    status: ['结果码', 'Status'],
    message: ['说明', 'Note'],
    requestId: ['请求编号', 'Request'],
    hash: ['链上哈希', 'Hash in the chain'],
  },
  what: ['操作', 'What was done'],
  changes: ['变更内容', 'Changes'],
  field: ['字段', 'Field'],
  before: ['变更前', 'Before'],
  after: ['变更后', 'After'],
  noChanges: ['此操作没有更改任何数据', 'This operation changed no data'],
  checkChain: ['校验完整性', 'Check integrity'],
  chainIsWhole: (lines: string, anchors: string) => [
    `日志完整，共 ${lines} 行，与库外 ${anchors} 个锚点一致`,
    `The log is whole: ${lines} lines, and all ${anchors} anchors outside the database fit`,
  ],
  chainIsBroken: (line: string, fault: string) => [
    `日志在第 ${line} 行被破坏：${fault}`,
    `The log is broken at line ${line}: ${fault}`,
  ],
})

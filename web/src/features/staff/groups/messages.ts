import { words as groupWords } from '@/api/words/GroupView'
import { words as memberWords } from '@/api/words/MemberView'
import { counted, defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  empty: ['还没有权限组', 'No permission groups yet'],
  emptyHint: [
    '新建一个权限组，分配权限后再把操作员加入',
    'Create a group, assign permissions to it, then add operators',
  ],
  search: ['搜索权限组名称', 'Search by name'],
  fields: {
    ...groupWords,
    // The screen says who made it, not yes or no.
    builtin: ['类型', 'Kind'],
  },
  builtin: groupWords.builtin,
  custom: ['自定义', 'Custom'],
  create: ['新建权限组', 'New group'],
  rename: ['重命名', 'Rename'],
  renameTitle: (name: string) => [`重命名 ${name}`, `Rename ${name}`],
  copy: ['复制', 'Copy'],
  copyTitle: (name: string) => [`复制 ${name}`, `Copy ${name}`],
  copyName: (name: string) => [`${name} 副本`, `${name} copy`],
  copyHint: ['新权限组会拥有与原权限组相同的权限', 'The new group gets the same permissions as this one'],
  nameHint: ['6 到 32 个字符', '6 to 32 characters'],
  remove: ['删除', 'Delete'],
  removeQuestion: ['删除后无法恢复', 'This cannot be undone'],
  isBuiltin: ['内置权限组不能删除', 'The built-in group cannot be deleted'],
  hasOperators: (count: number) => [
    `组内还有 ${count} 名操作员，请先把他们移到别的组`,
    `${counted(count, 'operator')} still in this group. Move them to another group first`,
  ],
  assign: ['分配', 'Assign'],
  compare: ['对比', 'Compare'],
  compareTwo: ['请选择两个权限组', 'Choose two groups'],
  rights: ['权限', 'Permissions'],
  members: ['组内操作员', 'Operators'],
})

export const memberMessages = defineMessages({
  title: ['组内操作员', 'Operators in the group'],
  empty: ['组内还没有操作员', 'No operators in this group'],
  emptyHint: [
    '在“用户管理”里新建或编辑操作员时选择这个权限组',
    'Choose this group when you create or edit an operator',
  ],
  fields: memberWords,
})

export const rightsMessages = defineMessages({
  search: ['搜索页面、按钮或权限码', 'Search pages, buttons or codes'],
  expandAll: ['全部展开', 'Expand all'],
  collapseAll: ['全部收起', 'Collapse all'],
  expand: (name: string) => [`展开 ${name}`, `Expand ${name}`],
  collapse: (name: string) => [`收起 ${name}`, `Collapse ${name}`],
  count: (held: number, all: number) => [`已分配 ${held} / ${all}`, `${held} of ${all} assigned`],
  noMatch: ['没有匹配的权限', 'No matching permissions'],
  lacking: ['您自己没有此权限，不能分配', 'You do not have this permission yourself, so you cannot assign it'],
  pageOnly: ['仅可打开页面', 'Opens the page only'],
  builtin: [
    '内置权限组始终拥有全部权限，不能修改',
    'The built-in group always has all permissions. This cannot be changed',
  ],
  beyond: (name: string, code: string) => [
    `该权限组拥有您没有的权限“${name}”（${code}），因此您只能查看`,
    `This group has the permission “${name}” (${code}), which you do not have, so you can only view it`,
  ],
  noRight: [
    '您没有“分配权限”的权限，只能查看',
    'You do not have permission to assign permissions, so you can only view them',
  ],
  unsaved: (added: number, removed: number) => [
    `未保存：新增 ${added} 项，移除 ${removed} 项`,
    `Not saved: ${added} added, ${removed} removed`,
  ],
  revert: ['还原', 'Revert'],
  save: ['保存权限', 'Save permissions'],
  question: (name: string, operators: number) => [
    `“${name}”的权限将变为如下，组内 ${operators} 名操作员立即生效：`,
    `The permissions of “${name}” will change as follows, effective immediately for ${counted(operators, 'operator')}:`,
  ],
  ownGroup: ['这是您自己所在的权限组', 'You are a member of this group yourself'],
  added: ['新增', 'Added'],
  removed: ['移除', 'Removed'],
})

export const compareMessages = defineMessages({
  title: ['对比权限组', 'Compare groups'],
  left: ['权限组 A', 'Group A'],
  right: ['权限组 B', 'Group B'],
  choose: ['请选择两个不同的权限组', 'Choose two different groups'],
  onlyIn: (name: string) => [`仅“${name}”拥有`, `Only in “${name}”`],
  both: ['两者都有', 'In both'],
  same: ['两个权限组的权限完全相同', 'Both groups have the same permissions'],
  none: ['没有', 'None'],
  count: (count: number) => [`${count} 项`, `${count}`],
})

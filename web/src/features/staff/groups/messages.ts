import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  title: ['权限组', 'Permission groups'],
  empty: ['还没有权限组', 'No permission groups yet'],
  emptyHint: [
    '新建一个权限组，分配权限后再把用户加入',
    'Create one, allot permissions to it, then put operators in it',
  ],
  search: ['搜索权限组名称', 'Search the name'],
  fields: {
    groupName: ['权限组名称', 'Group name'],
    builtin: ['类型', 'Kind'],
    operatorCount: ['用户数', 'Operators'],
    codeCount: ['权限数', 'Permissions'],
    createdAt: ['创建时间', 'Created at'],
    updatedAt: ['更新时间', 'Updated at'],
  },
  builtin: ['内置', 'Built-in'],
  custom: ['自定义', 'Custom'],
  create: ['新建权限组', 'New group'],
  rename: ['重命名', 'Rename'],
  renameTitle: (name: string) => [`重命名 ${name}`, `Rename ${name}`],
  copy: ['复制', 'Copy'],
  copyTitle: (name: string) => [`复制 ${name}`, `Copy ${name}`],
  copyName: (name: string) => [`${name} 副本`, `${name} copy`],
  copyHint: ['新权限组会拥有与原权限组相同的权限', 'The new group will hold what this one holds'],
  nameHint: ['6 到 32 个字符', '6 to 32 characters'],
  remove: ['删除', 'Delete'],
  removeQuestion: ['删除后无法恢复', 'It cannot be brought back'],
  isBuiltin: ['内置权限组不能删除', 'The built-in group cannot be deleted'],
  hasOperators: (count: number) => [
    `组内还有 ${count} 名用户，请先把他们移到别的组`,
    count === 1 ? '1 operator is still in it. Move them first' : `${count} operators are still in it. Move them first`,
  ],
  allot: ['分配', 'Allot'],
  compare: ['对比', 'Compare'],
  compareTwo: ['请选择两个权限组', 'Choose two groups'],
  rights: ['权限', 'Permissions'],
  members: ['组内用户', 'Operators'],
})

export const memberMessages = defineMessages({
  title: ['组内用户', 'Operators in the group'],
  empty: ['组内还没有用户', 'Nobody is in this group'],
  emptyHint: ['在“用户管理”里新建或编辑用户时选择这个权限组', 'Choose this group when you create or edit an operator'],
  fields: {
    username: ['用户名', 'User name'],
    accountType: ['账号类型', 'Account type'],
    enabled: ['状态', 'State'],
    lastSignInAt: ['最近登录', 'Last sign-in'],
  },
})

export const rightsMessages = defineMessages({
  search: ['搜索页面、按钮或权限码', 'Search pages, buttons, codes'],
  expandAll: ['全部展开', 'Expand all'],
  collapseAll: ['全部收起', 'Collapse all'],
  expand: (name: string) => [`展开 ${name}`, `Expand ${name}`],
  collapse: (name: string) => [`收起 ${name}`, `Collapse ${name}`],
  count: (held: number, all: number) => [`已分配 ${held} / ${all}`, `${held} of ${all} allotted`],
  noMatch: ['没有匹配的权限', 'Nothing matches'],
  lacking: ['您自己没有此权限，不能分配', 'You do not hold this yourself, so you cannot allot it'],
  pageOnly: ['仅可打开页面', 'Opens the page only'],
  builtin: [
    '内置权限组始终拥有全部权限，不能修改',
    'The built-in group always holds everything. That cannot be changed',
  ],
  beyond: (name: string, code: string) => [
    `该权限组拥有您没有的权限“${name}”（${code}），因此您只能查看`,
    `This group holds “${name}” (${code}), which you lack. You can only look at it`,
  ],
  noRight: ['您没有“分配权限”的权限，只能查看', 'You may not allot permissions. You can only look'],
  unsaved: (added: number, removed: number) => [
    `未保存：新增 ${added} 项，移除 ${removed} 项`,
    `Not saved: ${added} added, ${removed} removed`,
  ],
  revert: ['还原', 'Revert'],
  save: ['保存权限', 'Save permissions'],
  question: (name: string, operators: number) => [
    `“${name}”的权限将变为如下，组内 ${operators} 名用户立即生效：`,
    `“${name}” will change as follows. It acts at once on ${operators === 1 ? '1 operator' : `${operators} operators`}:`,
  ],
  ownGroup: ['这是您自己所在的权限组', 'You are in this group yourself'],
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
  same: ['两个权限组的权限完全相同', 'Both groups hold the same'],
  none: ['没有', 'None'],
  count: (count: number) => [`${count} 项`, `${count}`],
})

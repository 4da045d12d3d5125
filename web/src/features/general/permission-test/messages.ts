import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  me: ['我的权限', 'My permissions'],
  username: ['用户名', 'Username'],
  group: ['权限组编号', 'Group ID'],
  level: ['按钮权限级别', 'Button-permission level'],
  permissions: ['权限列表', 'Permission list'],
  roles: (count: number) => [`角色（${count}）`, `Roles (${count})`],
  guards: ['元素守卫', 'Guarded elements'],
  guardsHint: [
    '每一行的最后一格由对应的守卫决定是否出现。',
    'The guard of each row decides whether its last cell appears.',
  ],
  guard: ['守卫', 'Guard'],
  value: ['值', 'Value'],
  result: ['结果', 'Result'],
  shown: ['显示', 'Shown'],
  notShown: ['已移除', 'Removed'],
  preview: ['预览权限组', 'Preview a group'],
  previewHint: [
    '查看一个权限组登录后能打开的页面和可用的操作。',
    'What a member of a group can open and do after signing in.',
  ],
  choose: ['选择权限组', 'Choose a group'],
  screens: ['页面', 'Pages'],
  acts: ['操作', 'Actions'],
  nothing: ['这个权限组没有任何页面', 'This group has no pages'],
  noGroups: ['还没有权限组', 'There are no groups yet'],
  loading: ['加载中', 'Loading'],
  failed: ['没有读到权限组', 'Could not load the groups'],
  retry: ['重试', 'Try again'],
})

import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  me: ['我的权限', 'My rights'],
  username: ['用户名', 'Username'],
  group: ['权限组编号', 'Group id'],
  level: ['按钮权限级别', 'Button-permission level'],
  permissions: ['权限列表', 'Permission list'],
  roles: (count: number) => [`角色（${count}）`, `Roles (${count})`],
  guards: ['元素守卫', 'Guarded elements'],
  guardsHint: [
    '每一行的最后一格由对应的守卫决定是否出现。',
    'Whether the last cell of a row appears is decided by its guard.',
  ],
  guard: ['守卫', 'Guard'],
  value: ['值', 'Value'],
  result: ['结果', 'Result'],
  shown: ['显示', 'Shown'],
  notShown: ['已移除', 'Removed'],
  preview: ['预览权限组', 'Preview a group'],
  previewHint: [
    '查看一个权限组登录后能打开的页面和可用的操作。',
    'What somebody of a group can open and do after signing in.',
  ],
  choose: ['选择权限组', 'Choose a group'],
  screens: ['页面', 'Screens'],
  acts: ['操作', 'Acts'],
  nothing: ['这个权限组没有任何页面', 'This group has no screens'],
  noGroups: ['还没有权限组', 'There are no groups yet'],
  loading: ['加载中', 'Loading'],
  failed: ['没有读到权限组', 'The groups could not be read'],
  retry: ['重试', 'Try again'],
})

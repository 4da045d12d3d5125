import { words as operatorWords } from '@/api/words/OperatorView'
import { counted, defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  empty: ['还没有操作员', 'No operators yet'],
  emptyHint: ['新建一个操作员，并为其选择权限组', 'Create an operator and choose a permission group for them'],
  search: ['搜索用户名、邮箱、手机号、备注', 'Search name, email, phone or remark'],
  fields: {
    ...operatorWords,
    groupId: operatorWords.group,
    updatedAt: ['更新时间', 'Updated at'],
    linkedProvider: ['第三方账号', 'Third-party account'],
    providerId: ['第三方', 'Provider'],
    subject: ['账号标识', 'Account identifier'],
    password: ['初始密码', 'Initial password'],
    confirmPassword: ['确认密码', 'Confirm password'],
  },
  create: ['新建操作员', 'New operator'],
  edit: ['编辑', 'Edit'],
  editTitle: (name: string) => [`编辑操作员 ${name}`, `Edit ${name}`],
  usernameHint: [
    '小写字母开头，可用小写字母、数字、下划线，5 到 20 位',
    '5 to 20 lowercase letters, digits and underscores, starting with a letter',
  ],
  passwordHint: [
    '6 到 32 位，须含字母和数字，不含用户名；首次登录时必须修改',
    '6 to 32 characters with letters and digits, not containing the username. It must be changed at the first sign-in',
  ],
  newPassword: ['新密码', 'New password'],
  newPasswordHint: [
    '6 到 32 位，须含字母和数字，不含用户名；下次登录时必须修改',
    '6 to 32 characters with letters and digits, not containing the username. It must be changed at the next sign-in',
  ],
  enabledHint: [
    '禁用后会立即被强制下线，且无法登录',
    'When disabled, the operator is signed out immediately and cannot sign in',
  ],
  enable: ['启用', 'Enable'],
  enableQuestion: ['启用后该操作员可以重新登录', 'The operator can sign in again'],
  disable: ['禁用', 'Disable'],
  disableQuestion: [
    '禁用后该操作员会立即被强制下线，且无法再登录',
    'The operator is signed out immediately and cannot sign in again',
  ],
  remove: ['删除', 'Delete'],
  removeQuestion: [
    '删除后账号无法恢复，其登录会话立即结束；操作日志会保留',
    'The account cannot be recovered, and its sessions end immediately. The operation log is kept',
  ],
  resetPassword: ['重置密码', 'Reset password'],
  resetPasswordQuestion: [
    '该操作员的所有会话会结束，下次登录时必须修改密码',
    'All sessions of this operator end, and the password must be changed at the next sign-in',
  ],
  signOut: ['强制下线', 'Sign out'],
  signOutQuestion: ['该操作员的所有会话会立即结束', 'All sessions of this operator end immediately'],
  signedOut: (count: number) => [`已结束 ${count} 个会话`, `${counted(count, 'session')} ended`],
  resetSecondFactor: ['重置两步验证', 'Reset two-step verification'],
  resetSecondFactorQuestion: [
    '两步验证会被关闭，所有会话结束；仅在操作员丢失验证设备时使用',
    'Two-step verification is turned off and all sessions end. Use this only when the operator has lost the device',
  ],
  noSecondFactor: ['该操作员未开启两步验证', 'Two-step verification is not turned on'],
  linkIdentity: ['设置第三方账号', 'Link third-party account'],
  linkIdentityQuestion: [
    '该第三方账号从此可以登录此操作员；该操作员的所有会话会结束，并会收到通知',
    'The third-party account can then sign in as this operator, whose sessions all end; the operator is notified',
  ],
  subjectHint: [
    '第三方给该账号的唯一标识（sub），不是邮箱',
    "The provider's permanent identifier of the account (sub), not the email address",
  ],
  unlinkIdentity: ['解绑第三方账号', 'Unlink third-party account'],
  unlinkIdentityQuestion: [
    '该操作员不能再用第三方账号登录；其所有会话会结束，并会收到通知',
    'The operator can no longer sign in with it. All sessions of this operator end, and the operator is notified',
  ],
  noIdentity: ['该操作员未绑定第三方账号', 'No third-party account is linked'],
  noProviders: ['系统未配置第三方登录', 'Third-party sign-in is not configured'],
  ownIdentity: ['请在“系统用户信息”中绑定或解绑自己的账号', 'Link or unlink your own account under “System user info”'],
  oneself: ['不能对自己执行此操作', 'You cannot do this to your own account'],
  ownPassword: [
    '请用右上角的“修改密码”修改自己的密码',
    'Change your own password with “Change password” in the top bar',
  ],
  you: ['您自己', 'You'],
  noGroup: ['无权限组', 'No group'],
  profile: ['资料', 'Profile'],
  sessions: ['当前会话', 'Sessions'],
  signIns: ['登录记录', 'Sign-ins'],
  acts: ['操作记录', 'Activity'],
})

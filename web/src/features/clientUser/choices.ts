import { defineChoices } from '@/kit/choices'

/** Whether a customer may sign in. */
export const clientUserStatus = defineChoices({
  active: { value: 1, label: ['正常', 'Active'], tone: 'good' },
  disabled: { value: 2, label: ['已禁用', 'Disabled'], tone: 'bad' },
  loggedOut: { value: 3, label: ['已注销', 'Closed'], tone: 'muted' },
})

/** How a customer signs in. */
export const loginMethod = defineChoices({
  phoneCode: { value: 1, label: ['手机验证码', 'Phone code'] },
  password: { value: 2, label: ['密码', 'Password'] },
  weChat: { value: 3, label: ['微信', 'WeChat'] },
  qq: { value: 4, label: ['QQ', 'QQ'] },
  apple: { value: 5, label: ['Apple', 'Apple'] },
  guest: { value: 6, label: ['受邀游客', 'Invited guest'] },
})

/** What a customer signs in from. */
export const clientType = defineChoices({
  android: { value: 1, label: ['Android', 'Android'] },
  ios: { value: 2, label: ['iOS', 'iOS'] },
  pc: { value: 3, label: ['PC', 'PC'] },
  web: { value: 4, label: ['网页', 'Web'] },
})

/** What a record is about. */
export const recordKind = defineChoices({
  register: { value: 1, label: ['注册', 'Registration'], tone: 'info' },
  signIn: { value: 2, label: ['登录', 'Sign-in'], tone: 'good' },
  signOut: { value: 3, label: ['退出', 'Sign-out'], tone: 'muted' },
})

/** How a request to close an account stands. */
export const logoutStatus = defineChoices({
  requested: { value: 1, label: ['待处理', 'Requested'], tone: 'warn' },
  withdrawn: { value: 2, label: ['已撤销', 'Withdrawn'], tone: 'muted' },
  completed: { value: 3, label: ['已注销', 'Completed'], tone: 'good' },
})

import { defineChoices } from '@/kit/choices'

/** What sort of account it is. It says how the person works; rights come from the group. */
export const accountType = defineChoices({
  power: { value: 'power', label: ['超级用户', 'Power user'] },
  normal: { value: 'normal', label: ['普通用户', 'Normal user'] },
  developer: { value: 'developer', label: ['开发者', 'Developer'] },
})

/** Whether an operator may sign in. */
export const enabledState = defineChoices({
  on: { value: true, label: ['启用', 'Enabled'], tone: 'good' },
  off: { value: false, label: ['禁用', 'Disabled'], tone: 'bad' },
})

/** How a second factor stands. */
export const secondFactorState = defineChoices({
  on: { value: true, label: ['已开启', 'On'], tone: 'good' },
  off: { value: false, label: ['未开启', 'Off'], tone: 'muted' },
})

/** How an operator proved who he is. */
export const signInMethod = defineChoices({
  password: { value: 1, label: ['密码', 'Password'] },
  passwordAndCode: { value: 2, label: ['密码和验证码', 'Password and code'] },
  openId: { value: 3, label: ['第三方登录', 'Single sign-on'] },
})

/** What came of a sign-in. */
export const signInOutcome = defineChoices({
  success: { value: 1, label: ['成功', 'Success'], tone: 'good' },
  wrongCredentials: { value: 2, label: ['用户名或密码错误', 'Wrong name or password'], tone: 'bad' },
  wrongCode: { value: 3, label: ['验证码错误', 'Wrong code'], tone: 'bad' },
  throttled: { value: 4, label: ['尝试过于频繁', 'Too many attempts'], tone: 'warn' },
  disabled: { value: 5, label: ['账号不可用', 'Account closed'], tone: 'warn' },
})

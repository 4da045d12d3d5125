import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  hint: [
    '操作员如何登录控制台；保存后立即生效',
    'How operators sign in to the console; takes effect as soon as it is saved',
  ],
  fields: {
    singleSession: ['同一账号只允许一处登录', 'One session per operator'],
    idleMinutes: ['无操作自动退出', 'Sign out when idle for'],
    absoluteHours: ['最长登录时长', 'Maximum session length'],
    captchaAfter: ['连续失败多少次后要求验证码', 'Failed attempts before a captcha'],
    passwordMaxAgeDays: ['密码有效期', 'Passwords expire after'],
    secondFactorForPower: ['超级用户必须使用两步验证', 'Power users must use two-step verification'],
  },
  minutes: ['分钟', 'minutes'],
  hours: ['小时', 'hours'],
  times: ['次', 'times'],
  days: ['天', 'days'],
  neverHint: ['0 表示永不过期', '0 means never'],
  singleHint: ['开启后，再次登录会使之前的登录失效', 'Signing in again ends the earlier session'],
})

import { defineMessages } from '@/i18n/messages'

export const stepUpMessages = defineMessages({
  title: ['确认身份', 'Confirm your identity'],
  text: [
    '此操作需要再次确认身份，10 分钟内有效。不知道登录密码时，请重新登录后再试。',
    'This action needs you to confirm your identity again, which is then valid for 10 minutes. If you do not know your password, sign in again first.',
  ],
  fields: {
    password: ['登录密码', 'Password'],
    code: ['动态码或恢复码', 'Verification code or recovery code'],
  },
  useCode: ['改用动态码', 'Use a code instead'],
  usePassword: ['改用登录密码', 'Use the password instead'],
  confirm: ['确认', 'Confirm'],
})

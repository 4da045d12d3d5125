import { words as operatorWords } from '@/api/words/OperatorView'
import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  title: ['我的资料', 'My profile'],
  fields: operatorWords,
  noGroup: ['无权限组', 'No group'],
  edit: ['编辑资料', 'Edit profile'],
  activity: ['会话与记录', 'Sessions and activity'],
  sessions: ['我的会话', 'My sessions'],
  signIns: ['登录记录', 'Sign-ins'],
  acts: ['操作记录', 'Activity'],
})

export const securityMessages = defineMessages({
  title: ['账号安全', 'Account security'],
  fields: {
    password: ['登录密码', 'Password'],
    code: ['动态码或恢复码', 'Verification code or recovery code'],
  },
  password: ['登录密码', 'Password'],
  passwordHint: [
    '修改后所有会话都要重新登录，之前受信任的浏览器也不再受信任',
    'Changing it ends all sessions, and trusted browsers are no longer trusted',
  ],
  changePassword: ['修改密码', 'Change password'],
  secondFactor: operatorWords.secondFactor,
  secondFactorHint: [
    '登录时除密码外，还需要身份验证器中的动态码',
    'Signing in requires a code from your authenticator in addition to the password',
  ],
  since: ['开启时间', 'On since'],
  codesLeft: (count: number) => [
    `剩余恢复码 ${count} 个`,
    count === 1 ? '1 recovery code left' : `${count} recovery codes left`,
  ],
  enable: ['开启两步验证', 'Turn on'],
  disable: ['关闭两步验证', 'Turn off'],
  disableQuestion: [
    '关闭后登录只需要密码，恢复码全部作废，其他会话会结束',
    'Signing in then needs only the password, all recovery codes become invalid, and your other sessions end',
  ],
  renew: ['更换恢复码', 'New recovery codes'],
  renewQuestion: ['旧的恢复码会立即作废', 'The old recovery codes become invalid immediately'],
  openId: ['第三方账号', 'Third-party account'],
  openIdHint: ['绑定后可以用第三方账号登录', 'Once linked, you can sign in with the third-party account'],
  openIdNone: ['系统未配置第三方登录', 'Third-party sign-in is not configured'],
  linkedTo: (name: string) => [`已绑定 ${name}`, `Linked to ${name}`],
  notLinked: ['未绑定', 'Not linked'],
  link: ['绑定', 'Link'],
  unlink: ['解除绑定', 'Unlink'],
  unlinkQuestion: (name: string) => [
    `解除后不能再用 ${name} 登录，需要使用密码`,
    `You can no longer sign in with ${name} and will need your password`,
  ],
  linked: ['第三方账号已绑定', 'Third-party account linked'],
})

export const enrolMessages = defineMessages({
  title: ['开启两步验证', 'Turn on two-step verification'],
  fields: {
    password: ['登录密码', 'Password'],
    code: ['6 位动态码', '6-digit code'],
  },
  beginText: [
    '请先在手机上安装身份验证器，例如 Google Authenticator、Microsoft Authenticator 或 1Password。',
    'First install an authenticator on your phone, such as Google Authenticator, Microsoft Authenticator or 1Password.',
  ],
  beginWarn: ['开启后，您在其他浏览器中的会话会结束', 'Once it is on, your sessions in other browsers end'],
  next: ['下一步', 'Next'],
  scanText: [
    '用身份验证器扫描二维码，再输入它显示的动态码。',
    'Scan the QR code with the authenticator, then enter the code it shows.',
  ],
  qr: ['两步验证二维码', 'QR code for two-step verification'],
  cannotScan: ['无法扫描？手动输入密钥', 'Cannot scan? Enter this key manually'],
  codeHint: ['动态码每 30 秒更换一次', 'The code changes every 30 seconds'],
  turnOn: ['开启', 'Turn on'],
  codesTitle: ['恢复码', 'Recovery codes'],
  codesText: [
    '手机丢失时，每个恢复码可以代替动态码使用一次。它们只显示这一次，请保存在安全的地方。',
    'If you lose your phone, each recovery code can be used once in place of a verification code. They are shown only once: keep them somewhere safe.',
  ],
  download: ['下载', 'Download'],
  fileHead: (name: string) => [
    `Skyrack 恢复码（${name}），每个只能使用一次`,
    `Skyrack recovery codes for ${name}; each works once`,
  ],
  isSaved: ['我已妥善保存这些恢复码', 'I have saved these recovery codes'],
  finish: ['完成', 'Done'],
})

export const linkMessages = defineMessages({
  title: ['绑定第三方账号', 'Link a third-party account'],
  fields: {
    provider: ['第三方', 'Provider'],
    password: ['登录密码', 'Password'],
  },
  text: [
    '绑定后可以用第三方账号登录，因此需要您的密码。将打开第三方的登录窗口，登录后即完成绑定。',
    "Once linked, the third-party account can sign in as you, so your password is needed. The provider's sign-in window opens next; signing in there completes the link.",
  ],
  open: ['打开登录窗口', 'Open sign-in window'],
  waiting: (name: string) => [`请在打开的窗口中登录 ${name}`, `Sign in to ${name} in the window that opened`],
  popupBlocked: [
    '浏览器拦截了登录窗口，请允许弹出窗口后重试',
    'The browser blocked the sign-in window. Allow pop-ups and try again',
  ],
})

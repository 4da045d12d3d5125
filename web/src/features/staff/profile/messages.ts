import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  title: ['我的资料', 'My profile'],
  fields: {
    username: ['用户名', 'User name'],
    accountType: ['账号类型', 'Account type'],
    groupName: ['权限组', 'Permission group'],
    email: ['邮箱', 'Email'],
    phone: ['手机号', 'Phone'],
    remark: ['备注', 'Remark'],
    lastSignInAt: ['最近登录', 'Last sign-in'],
    lastSignInIp: ['最近登录 IP', 'Last sign-in from'],
    createdAt: ['创建时间', 'Created at'],
  },
  noGroup: ['无权限组', 'No group'],
  edit: ['编辑资料', 'Edit'],
  activity: ['会话与记录', 'Sessions and records'],
  sessions: ['我的会话', 'My sessions'],
  signIns: ['登录记录', 'Sign-ins'],
  acts: ['操作记录', 'What I did'],
})

export const actMessages = defineMessages({
  title: ['我的操作记录', 'What I did'],
  empty: ['还没有操作记录', 'Nothing done yet'],
  emptyHint: ['您在控制台做的更改会记录在这里', 'Whatever you change in the console is kept here'],
  fields: {
    at: ['时间', 'Time'],
    actionName: ['操作', 'Operation'],
    objectKindName: ['对象类型', 'Object kind'],
    objectName: ['对象', 'Object'],
    ip: ['IP 地址', 'Address'],
    status: ['结果码', 'Status'],
  },
})

export const securityMessages = defineMessages({
  title: ['登录安全', 'Sign-in security'],
  fields: {
    password: ['登录密码', 'Password'],
    code: ['动态码或恢复码', 'Code or recovery code'],
  },
  password: ['登录密码', 'Password'],
  passwordHint: [
    '修改后所有会话都要重新登录，之前受信任的浏览器也不再受信任',
    'Changing it ends every session, and browsers that were trusted are strangers again',
  ],
  changePassword: ['修改密码', 'Change password'],
  secondFactor: ['两步验证', 'Two-step verification'],
  secondFactorHint: [
    '登录时除密码外，还需要身份验证器中的动态码',
    'Signing in takes a code of your authenticator besides the password',
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
    'The password alone will do, the recovery codes become void, and your other sessions end',
  ],
  renew: ['更换恢复码', 'New recovery codes'],
  renewQuestion: ['旧的恢复码会立即作废', 'The old recovery codes become void at once'],
  openId: ['第三方账号', 'Third-party account'],
  openIdHint: ['绑定后可以用第三方账号登录', 'Once linked, you can sign in with it'],
  openIdNone: ['系统未配置第三方登录', 'No third-party sign-in is set up'],
  linkedTo: (name: string) => [`已绑定 ${name}`, `Linked to ${name}`],
  notLinked: ['未绑定', 'Not linked'],
  link: ['绑定', 'Link'],
  unlink: ['解除绑定', 'Unlink'],
  unlinkQuestion: (name: string) => [
    `解除后不能再用 ${name} 登录，需要使用密码`,
    `You can no longer sign in with ${name} and need your password`,
  ],
  linked: ['第三方账号已绑定', 'The account was linked'],
})

export const enrolMessages = defineMessages({
  title: ['开启两步验证', 'Turn on two-step verification'],
  fields: {
    password: ['登录密码', 'Password'],
    code: ['6 位动态码', '6-digit code'],
  },
  steps: {
    begin: ['准备', 'Prepare'],
    scan: ['绑定', 'Scan'],
    codes: ['恢复码', 'Recovery codes'],
  },
  beginText: [
    '请先在手机上安装身份验证器，例如 Google Authenticator、Microsoft Authenticator 或 1Password。',
    'You need an authenticator on your phone, such as Google Authenticator, Microsoft Authenticator or 1Password.',
  ],
  beginWarn: ['开启后，您在其他浏览器中的会话会结束', 'Your sessions in other browsers end once it is on'],
  next: ['下一步', 'Next'],
  scanText: [
    '用身份验证器扫描二维码，再输入它显示的动态码。',
    'Scan this with the authenticator, then enter the code that it shows.',
  ],
  qr: ['两步验证二维码', 'QR code of the second factor'],
  cannotScan: ['无法扫描？手动输入密钥', 'Cannot scan? Type in this key'],
  codeHint: ['动态码每 30 秒更换一次', 'It changes every 30 seconds'],
  turnOn: ['开启', 'Turn on'],
  codesTitle: ['恢复码', 'Recovery codes'],
  codesText: [
    '手机丢失时，每个恢复码可以代替动态码使用一次。它们只显示这一次，请保存在安全的地方。',
    'Should you lose the phone, each of these works once in place of a code. They are shown this once: keep them somewhere safe.',
  ],
  download: ['下载', 'Download'],
  fileHead: (name: string) => [
    `Skyrack 恢复码（${name}），每个只能使用一次`,
    `Skyrack recovery codes of ${name}; each works once`,
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
    '将打开第三方的登录窗口，登录后即完成绑定。',
    'A window of the provider opens. Sign in there, and the account is linked.',
  ],
  open: ['打开登录窗口', 'Open the window'],
  waiting: (name: string) => [`请在打开的窗口中登录 ${name}`, `Sign in to ${name} in the window that opened`],
  popupBlocked: [
    '浏览器拦截了登录窗口，请允许弹出窗口后重试',
    'The browser blocked the window. Allow pop-ups and try again',
  ],
  failed: ['绑定没有成功，请重试', 'The account was not linked. Please try again'],
})

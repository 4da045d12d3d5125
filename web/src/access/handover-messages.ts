import { defineMessages } from '@/i18n/messages'

/** Why a third-party sign-in failed, by the code that the server puts into the address. */
export const handoverMessages = defineMessages({
  unknownProvider: ['没有这个登录方式', 'This sign-in method does not exist'],
  failed: ['第三方登录失败，请重试或联系管理员', 'Third-party sign-in failed; try again or ask an administrator'],
  denied: ['已取消第三方登录', 'Third-party sign-in was cancelled'],
  stale: ['登录已超时或在别的窗口完成，请重试', 'The sign-in timed out or was completed in another window; try again'],
  notLinked: [
    '该第三方账号未绑定任何操作员，请先用密码登录后绑定',
    'This third-party account is not linked to any user; sign in with your password and link it first',
  ],
  closed: [
    '账号已被禁用或没有权限组，请联系管理员',
    'The account is disabled or has no permission group; ask an administrator',
  ],
  noAddress: [
    '管理员尚未配置控制台地址（public_url），暂不能使用第三方登录',
    "The console's own address (public_url) is not configured, so third-party sign-in is not available yet",
  ],
  taken: ['该第三方账号已绑定其他操作员', 'This third-party account is already linked to another user'],
  tooLong: ['第三方账号标识过长，无法绑定', "The provider's identifier for this account is too long to link"],
})

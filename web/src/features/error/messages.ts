import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  noAuthority: ['没有访问权限', 'You do not have access to this page'],
  noAuthorityHint: [
    '您的权限组不包含这个页面。如果工作需要，请联系管理员开通，开通后刷新页面即可，无需重新登录。',
    'Your permission group does not include this page. If you need it, ask an administrator. Reload the page once it is granted; you need not log in again.',
  ],
  notFound: ['页面不存在', 'Page not found'],
  notFoundHint: [
    '地址可能有误，或页面已被移除。请检查地址，或返回首页。',
    'The address may be wrong, or the page was removed. Check the address, or go to the home page.',
  ],
  home: ['返回首页', 'Go to the home page'],
  otherAccount: ['换一个账号登录', 'Log in with another account'],
})

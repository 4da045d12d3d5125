import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  noAuthority: ['没有访问权限', 'You may not open this page'],
  noAuthorityHint: [
    '您的权限组不包含这个页面。如果工作需要，请联系管理员开通，然后重新登录。',
    'Your permission group does not include this page. If you need it, ask an administrator, then log in again.',
  ],
  notFound: ['页面不存在', 'There is no such page'],
  notFoundHint: [
    '地址可能有误，或页面已被移除。请检查地址，或返回首页。',
    'The address may be wrong, or the page was removed. Check the address, or go to the home page.',
  ],
  home: ['返回首页', 'Go to the home page'],
  otherAccount: ['换一个账号登录', 'Log in with another account'],
  logTitle: ['错误日志', 'Error log'],
  logIntro: [
    '页面运行时捕获的错误。新的错误会同时上报服务器，供其他管理员排查。',
    'Errors caught while the console runs. New ones are reported to the server, so that others can look into them.',
  ],
  thisBrowser: ['本浏览器', 'This browser'],
  everyBrowser: ['所有浏览器', 'All browsers'],
  scope: ['范围', 'Scope'],
  time: ['时间', 'Time'],
  message: ['错误信息', 'Message'],
  component: ['组件', 'Component'],
  address: ['页面地址', 'Address'],
  stack: ['调用栈', 'Stack'],
  operator: ['用户', 'Operator'],
  browser: ['浏览器', 'Browser'],
  showStack: ['查看调用栈', 'Show the stack'],
  hideStack: ['收起调用栈', 'Hide the stack'],
  clear: ['清空', 'Clear'],
  clearQuestionLocal: (count: number) => [
    `将清空本浏览器的 ${count} 条错误记录，确定吗？`,
    count === 1
      ? 'This clears 1 error of this browser. Continue?'
      : `This clears ${count} errors of this browser. Continue?`,
  ],
  clearQuestionAll: (count: number) => [
    `将清空所有浏览器上报的 ${count} 条错误记录，确定吗？`,
    count === 1 ? 'This clears 1 reported error. Continue?' : `This clears ${count} reported errors. Continue?`,
  ],
  cleared: ['已清空', 'Cleared'],
  empty: ['没有错误', 'No errors'],
  emptyHint: ['页面运行正常。出现错误时，会显示在这里。', 'All is well. Errors will show up here.'],
  failed: ['没有读到错误记录', 'The errors could not be read'],
  retry: ['重试', 'Try again'],
  total: (count: number) => [`共 ${count} 条`, count === 1 ? '1 entry' : `${count} entries`],
  previous: ['上一页', 'Previous'],
  next: ['下一页', 'Next'],
})

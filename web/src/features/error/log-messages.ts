import { words as clientErrorWords } from '@/api/words/ClientErrorView'
import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  logIntro: [
    '页面运行时捕获的错误。新的错误会同时上报服务器，供其他操作员排查。',
    'Errors caught while the console was running. New errors are also reported to the server, so that other operators can investigate.',
  ],
  thisBrowser: ['本浏览器', 'This browser'],
  everyBrowser: ['所有浏览器', 'All browsers'],
  scope: ['范围', 'Scope'],
  showStack: ['查看调用栈', 'Show the stack'],
  hideStack: ['收起调用栈', 'Hide the stack'],
  clear: ['清空', 'Clear'],
  clearQuestionLocal: (count: number) => [
    `将清空本浏览器的 ${count} 条错误记录，确定吗？`,
    count === 1
      ? 'This clears 1 error recorded in this browser. Continue?'
      : `This clears ${count} errors recorded in this browser. Continue?`,
  ],
  clearQuestionAll: [
    '将清空所有浏览器上报的全部错误记录，确定吗？',
    'This clears all errors that browsers reported, whatever the filter shows. Continue?',
  ],
  detail: ['错误详情', 'Error'],
  cleared: ['已清空', 'Cleared'],
  empty: ['没有错误', 'No errors'],
  emptyHint: ['页面运行正常。出现错误时，会显示在这里。', 'Everything is working. Errors appear here when they occur.'],
  search: ['错误信息、组件、地址、操作员', 'Message, component, address or operator'],
  fields: clientErrorWords,
})

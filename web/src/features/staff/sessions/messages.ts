import { words as operationLogWords } from '@/api/words/OperationLogView'
import { words as signInWords } from '@/api/words/SignInView'
import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  title: ['登录记录', 'Sign-ins'],
  empty: ['还没有登录记录', 'No sign-ins yet'],
  emptyHint: ['登录成功或失败后会出现在这里', 'Successful and failed sign-ins appear here'],
  fields: {
    ...signInWords,
    signedInAt: ['登录时间', 'Signed in at'],
    seenAt: ['最近活动', 'Last active'],
    expiresAt: ['到期时间', 'Expires at'],
  },
  sessions: ['当前会话', 'Sessions'],
  noSessions: ['没有正在进行的会话', 'No active sessions'],
  current: ['本次会话', 'This session'],
  unbound: ['未绑定', 'Not bound'],
  unboundHint: [
    '该客户端不保存 Cookie，令牌没有与浏览器绑定',
    'This client does not keep cookies, so its token is not bound to a browser',
  ],
  end: ['结束', 'End'],
  endQuestion: ['结束后该浏览器需要重新登录', 'That browser will have to sign in again'],
  endCurrent: ['这是当前会话，请用右上角的“退出登录”', 'This is your current session. Use “Log out” in the top bar'],
})

export const actMessages = defineMessages({
  title: ['操作记录', 'Operations'],
  empty: ['还没有操作记录', 'No operations yet'],
  emptyHint: ['在控制台做的更改会记录在这里', 'Changes made in the console are recorded here'],
  fields: operationLogWords,
})

import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  title: ['登录记录', 'Sign-ins'],
  empty: ['还没有登录记录', 'No sign-ins yet'],
  emptyHint: ['登录成功或失败后会出现在这里', 'Attempts to sign in appear here, those that failed as well'],
  fields: {
    at: ['时间', 'Time'],
    outcome: ['结果', 'Outcome'],
    method: ['方式', 'Method'],
    ip: ['IP 地址', 'Address'],
    claimedIp: ['客户端自报 IP', 'Address it claimed'],
    device: ['浏览器', 'Browser'],
    username: ['输入的用户名', 'Name typed'],
    signedInAt: ['登录时间', 'Signed in at'],
    seenAt: ['最近活动', 'Last active'],
    expiresAt: ['到期时间', 'Ends at'],
  },
  sessions: ['当前会话', 'Sessions'],
  noSessions: ['没有正在进行的会话', 'Nobody is signed in'],
  current: ['本次会话', 'This session'],
  unbound: ['未绑定', 'Not bound'],
  unboundHint: [
    '该客户端不保存 Cookie，令牌没有与浏览器绑定',
    'This client keeps no cookies: its token is not bound to a browser',
  ],
  end: ['结束', 'End'],
  endQuestion: ['结束后该浏览器需要重新登录', 'That browser has to sign in again'],
  endCurrent: ['这是当前会话，请用右上角的“退出登录”', 'This is your own session. Log out by the top bar'],
})

export const actMessages = defineMessages({
  title: ['操作记录', 'Operations'],
  empty: ['还没有操作记录', 'Nothing done yet'],
  emptyHint: ['在控制台做的更改会记录在这里', 'Whatever is changed in the console is kept here'],
  fields: {
    at: ['时间', 'Time'],
    actionName: ['操作', 'Operation'],
    objectKindName: ['对象类型', 'Object kind'],
    objectName: ['对象', 'Object'],
    ip: ['IP 地址', 'Address'],
    status: ['结果码', 'Status'],
  },
})

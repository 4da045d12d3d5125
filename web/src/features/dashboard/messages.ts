import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  title: ['首页看板', 'Dashboard'],
  now: ['当前', 'Now'],
  today: ['今天', 'Today'],
  clientUsers: ['客户端用户', 'Client users'],
  clientUsersActive: ['正常用户', 'Active users'],
  clientUsersDisabled: ['禁用用户', 'Disabled users'],
  operatorsOnline: ['在线管理员', 'Operators online'],
  tasksRunning: ['进行中的任务', 'Tasks running'],
  logoutRequestsOpen: ['待处理注销申请', 'Closing requests'],
  registrations: ['注册', 'Registrations'],
  signIns: ['登录', 'Sign-ins'],
  trend: ['注册与登录趋势', 'Registrations and sign-ins'],
  days: (count: number) => [`近 ${count} 天`, `${count} days`],
  noTrend: ['这段时间还没有数据', 'Nothing happened in this time'],
  loadFailed: ['看板加载失败', 'The dashboard could not be loaded'],
  retry: ['重试', 'Try again'],
  loading: ['加载中', 'Loading'],
})

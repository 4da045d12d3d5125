import { defineChoices } from '@/kit/choices'

/** What an operation does at each card. */
export const operationKind = defineChoices({
  reboot: { value: 1, label: ['重启', 'Reboot'] },
  powerOn: { value: 2, label: ['上电', 'Power on'] },
  powerOff: { value: 3, label: ['断电', 'Power off'] },
  powerCycle: { value: 4, label: ['断电重启', 'Power cycle'] },
  shell: { value: 5, label: ['执行脚本', 'Run a script'] },
  uninstall: { value: 6, label: ['卸载应用', 'Uninstall'] },
  pullLog: { value: 7, label: ['拉取日志', 'Fetch logs'] },
  screenshot: { value: 8, label: ['截图', 'Screenshots'] },
  speedLimit: { value: 9, label: ['网络限速', 'Limit the network'] },
  setProperty: { value: 10, label: ['设置系统属性', 'Set a property'] },
  factoryReset: { value: 11, label: ['恢复出厂', 'Factory reset'] },
  wipe: { value: 12, label: ['擦除用户数据', 'Wipe user data'] },
  install: { value: 13, label: ['安装应用', 'Install'] },
  push: { value: 14, label: ['推送文件', 'Push a file'] },
  drain: { value: 15, label: ['排空', 'Drain'] },
  maintain: { value: 16, label: ['进入维护', 'Maintenance'] },
  restore: { value: 17, label: ['恢复使用', 'Return to service'] },
  setFlags: { value: 18, label: ['分配设置', 'Assignment'] },
  move: { value: 19, label: ['移动', 'Move'] },
  pull: { value: 20, label: ['拉取文件', 'Fetch a file'] },
})

/** How an operation stands. */
export const operationState = defineChoices({
  freezing: { value: 1, label: ['准备中', 'Preparing'], tone: 'busy' },
  awaitingApproval: { value: 2, label: ['待审批', 'Awaiting approval'], tone: 'warn' },
  scheduled: { value: 3, label: ['待开始', 'Scheduled'], tone: 'info' },
  running: { value: 4, label: ['进行中', 'Running'], tone: 'busy' },
  paused: { value: 5, label: ['已暂停', 'Paused'], tone: 'warn' },
  cancelling: { value: 6, label: ['取消中', 'Cancelling'], tone: 'busy' },
  finished: { value: 7, label: ['已完成', 'Finished'], tone: 'good' },
  cancelled: { value: 8, label: ['已取消', 'Cancelled'], tone: 'muted' },
  expired: { value: 9, label: ['已过期', 'Expired'], tone: 'bad' },
})

/** How the task of one card stands. */
export const taskStep = defineChoices({
  pending: { value: 1, label: ['等待', 'Waiting'], tone: 'muted' },
  running: { value: 2, label: ['执行中', 'Running'], tone: 'busy' },
  succeeded: { value: 3, label: ['成功', 'Succeeded'], tone: 'good' },
  failed: { value: 4, label: ['失败', 'Failed'], tone: 'bad' },
  skipped: { value: 5, label: ['跳过', 'Left out'], tone: 'info' },
  incompatible: { value: 6, label: ['不支持', 'Not possible'], tone: 'info' },
  cancelled: { value: 7, label: ['已取消', 'Cancelled'], tone: 'muted' },
  expired: { value: 8, label: ['已过期', 'Expired'], tone: 'bad' },
})

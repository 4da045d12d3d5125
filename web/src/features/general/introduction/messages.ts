import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  lead: [
    'Skyrack 是云手机与云游戏服务的运营控制台：从机房、安卓卡、云手机，到客户端用户、计费、内容和升级，都在这里管理。',
    'Skyrack is the operations console of a cloud-phone and cloud-game service. Rooms, Android cards, cloud phones, users, billing, content and upgrades are all managed here.',
  ],
  system: ['系统信息', 'System'],
  version: ['版本', 'Version'],
  commit: ['构建', 'Build'],
  ownBuild: ['本地构建', 'Local build'],
  database: ['数据库', 'Database'],
  startedAt: ['启动时间', 'Running since'],
  serial: ['系统序列号', 'System serial number'],
  data: ['数据', 'Data'],
  demo: ['演示数据，请勿用于生产', 'Demo data; not for production'],
  live: ['正式数据', 'Live data'],
  unknown: ['没有读到系统信息', 'Could not load the system information'],
  retry: ['重试', 'Try again'],
  loading: ['加载中', 'Loading'],
  news: ['本版更新', "What's new"],
  help: ['快捷入口', 'Where to go next'],
  docs: ['接口文档', 'API documentation'],
  docsHint: [
    '每个接口的参数与返回，供对接系统查阅',
    'Parameters and responses of every call, for integrating other systems',
  ],
  keys: ['键盘操作', 'Keyboard'],
  keySearch: ['快速搜索，跳转到任意页面', 'Quick search; jump to any page'],
  keyClose: ['关闭对话框或菜单', 'Close a dialog or menu'],
  keyTabMenu: ['标签页右键：关闭、关闭其他、关闭所有', 'Right click on a tab: Close, Close Others, Close All'],
  rightClick: ['右键', 'Right click'],
  newsItems: {
    guard: [
      '权限即时生效：调整权限组后，下一次请求就按新权限执行',
      'Permissions take effect immediately: the next request after a group changes follows the new permissions',
    ],
    twoFactor: [
      '登录保护：动态验证码、图形验证码、登录频率限制',
      'Sign-in protection: verification codes, captchas and rate limits',
    ],
    tabs: [
      '页面保持：切换标签页不丢失筛选、滚动和填写内容',
      'Pages are kept: switching tabs preserves filters, scroll position and input',
    ],
    languages: ['中英双语与深浅两种主题，随时切换', 'Chinese and English, light and dark; switch at any time'],
  },
})

import type { Screen } from '@/access/screens'

export const screens: Screen[] = [
  {
    code: 'devicePanel',
    path: '/device/panel',
    title: ['设备面板', 'Device panel'],
    load: () => import('./panel/page'),
  },
  {
    code: 'deviceManagement',
    path: '/device/management',
    title: ['设备管理', 'Device management'],
    load: () => import('./management/page'),
  },
  {
    code: 'deviceAddress',
    path: '/device/address',
    title: ['设备地址', 'Room operator config'],
    load: () => import('./address/page'),
  },
  { code: 'deviceMap', path: '/device/map', title: ['设备地图', 'Device map'], load: () => import('./map/page') },
  {
    code: 'deviceMonitoring',
    path: '/device/monitoring',
    title: ['数据监控', 'Data monitoring'],
    load: () => import('./monitoring/page'),
  },
  {
    code: 'networkAddress',
    path: '/device/networkAddress',
    title: ['机房网络地址', 'Room network address config'],
    load: () => import('./networkAddress/page'),
  },
  {
    code: 'bmcMapping',
    path: '/device/bmcMapping',
    title: ['BMC 映射', 'BMC mapping'],
    load: () => import('./bmcMapping/page'),
  },
  {
    code: 'deviceSettings',
    path: '/device/settings',
    title: ['设备与全局设置', 'Device and global settings'],
    load: () => import('./settings/page'),
  },
  {
    code: 'discoveredDevices',
    path: '/device/discovered',
    title: ['待接入设备', 'Discovered devices'],
    load: () => import('./discovered/page'),
  },
  {
    code: 'deviceOperations',
    path: '/device/operations',
    title: ['批量操作', 'Operations'],
    load: () => import('./operations/page'),
  },
]

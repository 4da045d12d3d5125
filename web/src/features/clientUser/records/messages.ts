import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  title: ['注册与登录记录', 'Registration and logout records'],
  empty: ['还没有记录', 'No records yet'],
  emptyHint: ['用户注册、登录或退出后会出现在这里', 'They appear when a client user registers, signs in or signs out'],
  search: ['姓名、手机号、IP 地址', 'Name, phone or address'],
  fields: {
    at: ['时间', 'Time'],
    kind: ['类型', 'Kind'],
    userName: ['用户', 'User'],
    phone: ['手机号', 'Phone'],
    ip: ['IP 地址', 'Address'],
    deviceName: ['设备名称', 'Device'],
    clientType: ['客户端', 'Client'],
    clientVersion: ['客户端版本', 'Client version'],
    loginMethod: ['登录方式', 'Login method'],
  },
})

import { defineMessages } from '@/i18n/messages'

const shared = {
  name: ['名称', 'Name'],
  roomId: ['机房', 'Room'],
  counts: ['安卓卡', 'Cards'],
  maintenance: ['维护', 'Maintenance'],
  remark: ['备注', 'Remark'],
  updatedAt: ['更新时间', 'Updated at'],
} as const

export const pageMessages = defineMessages({
  title: ['设备地址', 'Room operator config'],
  rooms: ['机房', 'Rooms'],
  frames: ['机架', 'Frames'],
  hosts: ['主机', 'Hosts'],
  agents: ['机房代理', 'Room agents'],
  tokens: ['接入令牌', 'Join tokens'],
  search: ['名称', 'Name'],
  searchRoom: ['名称或城市', 'Name or city'],
  searchFrame: ['名称或位置', 'Name or location'],
  searchAgent: ['名称或来自', 'Name or address'],
  edit: ['编辑', 'Edit'],
  remove: ['删除', 'Delete'],
  removeQuestion: ['其中没有任何设备时才能删除', 'Only what is empty can be deleted'],
})

export const roomMessages = defineMessages({
  title: ['机房', 'Rooms'],
  empty: ['还没有机房', 'No room yet'],
  emptyHint: ['先新建一个机房，再添加机架与主机', 'Make a room first, then frames and hosts in it'],
  create: ['新建机房', 'New room'],
  editTitle: (name: string) => [`编辑机房 ${name}`, `Edit ${name}`],
  lines: ['运营商线路', 'Lines'],
  addLine: ['增加线路', 'Add a line'],
  removeLine: ['移除末条线路', 'Remove the last line'],
  mbit: ['Mbit/s', 'Mbit/s'],
  fields: {
    ...shared,
    city: ['城市', 'City'],
    latitude: ['纬度', 'Latitude'],
    longitude: ['经度', 'Longitude'],
    lines: ['线路', 'Lines'],
    carrier: ['运营商', 'Carrier'],
    line: ['线路名称', 'Line'],
    mbit: ['带宽', 'Bandwidth'],
    contact: ['联系方式', 'Contact'],
  },
})

export const frameMessages = defineMessages({
  title: ['机架', 'Frames'],
  empty: ['还没有机架', 'No frame yet'],
  emptyHint: ['机架安装在机房里，其中插主机（刀片）', 'A frame stands in a room and holds hosts'],
  create: ['新建机架', 'New frame'],
  editTitle: (name: string) => [`编辑机架 ${name}`, `Edit ${name}`],
  fields: { ...shared, location: ['位置', 'Location'], slots: ['槽位数', 'Slots'] },
})

export const hostMessages = defineMessages({
  title: ['主机', 'Hosts'],
  empty: ['还没有主机', 'No host yet'],
  emptyHint: ['主机（刀片）插在机架的槽位里，承载多张安卓卡', 'A host sits in a slot of a frame and carries cards'],
  create: ['新建主机', 'New host'],
  editTitle: (name: string) => [`编辑主机 ${name}`, `Edit ${name}`],
  fields: {
    ...shared,
    frameId: ['机架', 'Frame'],
    slot: ['槽位', 'Slot'],
    bladeAddress: ['刀片地址', 'Blade address'],
    positions: ['卡位数', 'Positions'],
  },
})

export const agentMessages = defineMessages({
  title: ['机房代理', 'Room agents'],
  empty: ['还没有机房代理', 'No room agent yet'],
  emptyHint: ['签发接入令牌，在机房里运行 skyrack agent', 'Issue a join token and run skyrack agent in the room'],
  connected: ['已连接', 'Connected'],
  gone: ['未连接', 'Not connected'],
  revoked: ['已吊销', 'Revoked'],
  revoke: ['吊销', 'Revoke'],
  revokeQuestion: ['代理会立即断开，凭据不能再用', 'It is cut off at once, and its credential is of no use any more'],
  fields: {
    name: ['名称', 'Name'],
    roomId: ['机房', 'Room'],
    state: ['状态', 'State'],
    version: ['版本', 'Version'],
    address: ['来自', 'From'],
    enrolledAt: ['接入时间', 'Joined at'],
    connectedAt: ['最近连接', 'Connected at'],
    disconnectedAt: ['最近断开', 'Disconnected at'],
    revokedAt: ['吊销时间', 'Revoked at'],
    revokedBy: ['吊销人', 'Revoked by'],
  },
})

export const tokenMessages = defineMessages({
  title: ['接入令牌', 'Join tokens'],
  empty: ['还没有接入令牌', 'No join token yet'],
  emptyHint: ['每个令牌只能让一个代理接入一次', 'Each lets one agent join, once'],
  create: ['签发令牌', 'Issue a token'],
  hours: ['小时', 'h'],
  made: ['令牌已签发，仅显示这一次', 'The token is issued; it is shown this once'],
  run: ['在机房里运行：', 'Run in the room:'],
  close: ['我已保存', 'I have kept it'],
  usable: ['可用', 'Usable'],
  used: ['已使用', 'Used'],
  revoked: ['已收回', 'Taken back'],
  expired: ['已过期', 'Expired'],
  revoke: ['收回', 'Take back'],
  revokeQuestion: ['收回后不能再用它接入', 'Nobody can join with it any more'],
  fields: {
    roomId: ['机房', 'Room'],
    hours: ['有效时长', 'Good for'],
    state: ['状态', 'State'],
    createdBy: ['签发人', 'Issued by'],
    createdAt: ['签发时间', 'Issued at'],
    expiresAt: ['过期时间', 'Expires at'],
    usedAt: ['使用时间', 'Used at'],
  },
})

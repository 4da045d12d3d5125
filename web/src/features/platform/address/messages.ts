import { words } from '@/api/words/ServiceAddressView'
import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  empty: ['还没有服务地址', 'No addresses yet'],
  emptyHint: [
    '添加机房的网关后，客户才能连接该机房的云手机',
    'Customers can connect to the phones of a room once its gateway is here',
  ],
  search: ['名称或主机', 'Name or host'],
  create: ['新建地址', 'New address'],
  edit: ['编辑', 'Edit'],
  editTitle: (name: string) => [`编辑 ${name}`, `Edit ${name}`],
  check: ['检测', 'Check'],
  enable: ['启用', 'Enable'],
  enableQuestion: ['启用后会分配给新的连接', 'It is given to those who connect from now on'],
  disable: ['停用', 'Disable'],
  disableQuestion: [
    '停用后不再分配给新的连接，已连接的不受影响',
    'It is given to nobody any more; whoever is connected stays so',
  ],
  remove: ['删除', 'Delete'],
  removeQuestion: (name: string) => [`确认删除“${name}”？`, `Delete “${name}”?`],
  silent: (silent: number, streams: number) => [
    `静默 ${silent} / ${streams} 路串流`,
    `Silent · ${silent} of ${streams} streams`,
  ],
  allStand: [
    '相关机房暂停按规则下机和排队超时',
    "In its rooms nobody is taken off by rule, and nobody's wait runs out",
  ],
  oneStands: ['该云手机不按规则下机', 'That phone is not taken off by rule'],
  allRooms: ['所有机房', 'All rooms'],
  roomHint: ['留空则服务所有机房', 'Empty: it serves all rooms'],
  hostHint: [
    '域名或 IP 地址，不含端口；内网地址须在机房的管理网段内',
    "A name or an IP address, without the port; a private one is in the room's management networks",
  ],
  weightHint: [
    '同一机房有多个网关时，按权重分配，1 到 100',
    'Of several gateways of a room each is given as often as its weight says, 1 to 100',
  ],
  fields: { ...words, roomId: words.room, silence: ['网关静默', 'Gateway silent'] },
})

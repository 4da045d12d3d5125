import { words as frameWords } from '@/api/words/FrameView'
import { words as hostWords } from '@/api/words/HostView'
import { words as joinTokenWords } from '@/api/words/JoinTokenView'
import { words as roomAgentWords } from '@/api/words/RoomAgentView'
import { words as roomWords } from '@/api/words/RoomView'
import { defineMessages } from '@/i18n/messages'

export const pageMessages = defineMessages({
  name: ['名称', 'Name'],
  searchRoom: ['名称或城市', 'Name or city'],
  searchFrame: ['名称或位置', 'Name or location'],
  searchAgent: ['名称或来自', 'Name or address'],
  edit: ['编辑', 'Edit'],
  remove: ['删除', 'Delete'],
  removeQuestion: ['其中没有任何设备时才能删除', 'It can be deleted only when it holds no devices'],
})

export const roomMessages = defineMessages({
  title: ['机房', 'Rooms'],
  empty: ['还没有机房', 'No rooms yet'],
  emptyHint: ['先新建一个机房，再添加机架与主机', 'Create a room first, then add frames and hosts'],
  create: ['新建机房', 'New room'],
  editTitle: (name: string) => [`编辑机房 ${name}`, `Edit ${name}`],
  lines: ['运营商线路', 'Carrier lines'],
  addLine: ['增加线路', 'Add line'],
  removeLine: ['移除末条线路', 'Remove last line'],
  mbit: ['Mbit/s', 'Mbit/s'],
  managementHint: [
    '每行一个网段，例如 10.1.0.0/16；本机房 BMC 的地址必须在其中，不填则须为内网地址',
    'One network per line, for example 10.1.0.0/16. The BMCs of this room must be in one of them; if blank, at private addresses',
  ],
  timeZoneOfConsole: ['与控制台一致', 'That of the console'],
  timeZoneHint: [
    '本机房云手机的夜间停用按此时区计算，每日时长从当地凌晨 4 点重新计',
    'Night close of the phones in this room goes by it, and their hours a day begin anew at 4 in the morning there',
  ],
  downloadHint: [
    '本机房所有代理合计，从存储节点读取（恢复、校验）；1-1000，不填则按所有机房的限速（存储管理）；正在进行的传输立即生效',
    'Of all agents of this room together, when they read from storage nodes (restores, checks): 1 to 1000; if blank, the limit of all rooms (Storage management). It counts at once, for what is under way too',
  ],
  uploadHint: [
    '本机房所有代理合计，写入存储节点（备份）；1-1000，不填则按所有机房的限速（存储管理）；正在进行的传输立即生效',
    'Of all agents of this room together, when they write to storage nodes (backups): 1 to 1000; if blank, the limit of all rooms (Storage management). It counts at once, for what is under way too',
  ],
  fields: {
    ...roomWords,
    managementNets: ['管理网段', 'Management networks'],
    latitude: ['纬度', 'Latitude'],
    longitude: ['经度', 'Longitude'],
    carrier: ['运营商', 'Carrier'],
    line: ['线路名称', 'Line name'],
    mbit: ['带宽', 'Bandwidth'],
    contact: ['联系方式', 'Contact'],
  },
})

export const frameMessages = defineMessages({
  title: ['机架', 'Frames'],
  empty: ['还没有机架', 'No frames yet'],
  emptyHint: ['机架安装在机房里，其中插主机（刀片）', 'A frame stands in a room and holds hosts'],
  create: ['新建机架', 'New frame'],
  rack: ['整架新建', 'New rack'],
  editTitle: (name: string) => [`编辑机架 ${name}`, `Edit ${name}`],
  fields: { ...frameWords, roomId: frameWords.room },
})

export const hostMessages = defineMessages({
  title: ['主机', 'Hosts'],
  empty: ['还没有主机', 'No hosts yet'],
  emptyHint: ['主机（刀片）插在机架的槽位里，承载多张安卓卡', 'A host sits in a slot of a frame and carries cards'],
  create: ['新建主机', 'New host'],
  import: ['导入', 'Import'],
  importTitle: ['导入主机与机架', 'Import hosts and frames'],
  editTitle: (name: string) => [`编辑主机 ${name}`, `Edit ${name}`],
  fields: { ...hostWords, roomId: hostWords.room, frameId: hostWords.frame },
})

export const agentMessages = defineMessages({
  title: ['机房代理', 'Room agents'],
  empty: ['还没有机房代理', 'No room agents yet'],
  emptyHint: ['签发接入令牌，在机房里运行 skyrack agent', 'Issue a join token and run skyrack agent in the room'],
  toTokens: ['前往接入令牌', 'Go to the join tokens'],
  connected: ['已连接', 'Connected'],
  gone: ['未连接', 'Not connected'],
  revoked: ['已吊销', 'Revoked'],
  behind: [
    '不再接收任务；请在机房主机上换成与控制台同版本的程序后重启',
    "Gets no work; replace its program by the console's version and restart it",
  ],
  ahead: ['不接收任务；请先升级控制台', 'Gets no work; upgrade the console first'],
  revoke: ['吊销', 'Revoke'],
  revokeQuestion: [
    '代理会立即断开，凭据不能再用',
    'The agent is disconnected immediately, and its credential can no longer be used',
  ],
  fields: {
    ...roomAgentWords,
    roomId: roomAgentWords.room,
    state: ['状态', 'State'],
  },
})

export const tokenMessages = defineMessages({
  title: ['接入令牌', 'Join tokens'],
  empty: ['还没有接入令牌', 'No join tokens yet'],
  emptyHint: ['每个令牌只能让一个代理接入一次', 'Each token lets one agent join, once'],
  create: ['签发令牌', 'Issue token'],
  hours: ['小时', 'h'],
  made: ['令牌已签发，仅显示这一次', 'Token issued. It is shown only once'],
  run: ['在机房里运行：', 'Run in the room:'],
  close: ['我已保存', 'I have saved it'],
  usable: joinTokenWords.open,
  used: ['已使用', 'Used'],
  revoked: ['已收回', 'Revoked'],
  expired: ['已过期', 'Expired'],
  revoke: ['收回', 'Revoke'],
  revokeQuestion: ['收回后不能再用它接入', 'It can no longer be used to join'],
  fields: {
    ...joinTokenWords,
    roomId: joinTokenWords.room,
    hours: ['有效时长', 'Valid for'],
    state: ['状态', 'State'],
  },
})

/** What the parts of the page are called: like their lists. */
export const partMessages = defineMessages({
  rooms: roomMessages.tree.title,
  frames: frameMessages.tree.title,
  hosts: hostMessages.tree.title,
  agents: agentMessages.tree.title,
  tokens: tokenMessages.tree.title,
})

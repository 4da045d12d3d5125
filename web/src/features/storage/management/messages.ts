import { words as nodeWords } from '@/api/words/StoreNodeView'
import { title as speedTitle } from '@/api/words/TransferSpeed'
import { counted, defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  empty: ['还没有存储节点', 'No storage nodes yet'],
  emptyHint: [
    '新建一个节点：机房代理所在机器上的文件夹，或挂载在那里的磁盘',
    'Create one: a folder on the machine of a room agent, or a disk that is mounted there',
  ],
  search: ['名称、城市或路径', 'Name, city or folder'],
  create: ['新建节点', 'New node'],
  speed: speedTitle,
  editTitle: (name: string) => [`编辑 ${name}`, `Edit ${name}`],
  edit: ['编辑', 'Edit'],
  test: ['测试连接', 'Test'],
  testQuestion: [
    '每个可达代理都会核对标记，并在每个分区写入、读回、删除一个小文件',
    'Each of its agents checks the marker, and writes, reads back and removes a small file in each partition',
  ],
  tested: (name: string) => [`${name}：所有代理均可读写`, `${name}: all agents can read and write`],
  testFailed: (name: string, trouble: string) => [`${name}：${trouble}`, `${name}: ${trouble}`],
  drain: ['排空', 'Drain'],
  drainQuestion: ['节点不再接收新的备份；可随时恢复', 'The node takes no new copies; this can be undone at any time'],
  resume: ['恢复使用', 'Use again'],
  retire: ['停用', 'Retire'],
  retireQuestion: ['停用后无法恢复', 'This cannot be undone'],
  remove: ['删除', 'Delete'],
  removeQuestion: [
    '只有没有备份的节点可以删除。文件夹保持原样；要给别的节点用，请先删去其中的 skyrack-node.json',
    'Only a node without copies can be deleted. Its folder stays as it is: remove skyrack-node.json there before another node uses it',
  ],
  isRetired: ['节点已停用', 'The node is retired'],
  notDrained: ['请先排空', 'Drain it first'],
  overview: ['概况', 'Overview'],
  agents: nodeWords.agents,
  noAgents: ['没有可达代理', 'No agent reaches it'],
  usage: ['用量', 'Usage'],
  usedOf: (used: string, limit: string) => [`${used} / ${limit}`, `${used} of ${limit}`],
  smaller: (limit: string) => [`磁盘只能容纳 ${limit}`, `The disk takes ${limit} only`],
  usedGb: ['已用（GB）', 'Used (GB)'],
  limitName: (gb: string) => [`可容纳 ${gb} GB`, `Room for ${gb} GB`],
  noUsage: ['还没有用量记录，每小时统计一次', 'Nothing was added up yet; that is done each hour'],
  days: (count: number) => [`${count} 天`, counted(count, 'day')],
  notGrowing: ['未增长', 'Not growing'],
  connected: ['已连接', 'Connected'],
  gone: ['已断开', 'Not connected'],
  reached: ['可读写', 'Reached'],
  never: ['尚未检查', 'Never checked'],
  took: (millis: number) => [`${millis} 毫秒`, `${millis} ms`],
  partitionsMade: (made: number, all: number) => [`${all}（已建 ${made}）`, `${all} (${made} made)`],
  placeHint: [
    '文件夹名（如 copies）位于代理自己的数据文件夹内，会自动创建；绝对路径（如 /mnt/copies）须已存在、为空，且在代理的 --store-root 之内',
    "A name such as copies lies in the agent's own data folder and is made; an absolute path such as /mnt/copies has to exist, be empty, and be within --store-root of the agent",
  ],
  placeKept: [
    '节点上有备份后，更换路径前须把文件连同标记一起移过去',
    'Once copies lie there, move them with the markers before you change the folder',
  ],
  agentsHint: ['所有可达代理看到的须是同一个文件夹', 'All of them have to see the same folder'],
  partitionsHint: [
    '备份分散存放的子文件夹，可各自挂载磁盘；减少后旧分区继续保留',
    'Folders among which copies are spread; each may be a disk of its own. Fewer leave those that are there',
  ],
  snapshotsHint: [
    '存储自身保留快照（.snapshot、.zfs/snapshot 或 .snap）；“测试连接”会从快照中读取节点标记',
    'The storage keeps snapshots by itself (.snapshot, .zfs/snapshot or .snap); Test reads the marker from one of them',
  ],
  keepsSnapshots: ['存储自身保留快照', 'The storage keeps snapshots by itself'],
  keepsNone: [
    '无：控制了代理所在机器的人可以删除全部备份',
    'None: whoever rules over the machine of an agent can delete every backup',
  ],
  strategyHint: [
    '下机时和手动备份始终进行。“下机即备”：上机一小时后还没有备份的，自动备份一次；“每天”“每周”：在机期间按周期再次备份；“手动”：不自动备份',
    'Phones are always backed up when they are taken off and when somebody asks. At take-off: and once by itself, an hour after they came on, if there is no backup. Daily, weekly: again while they stay. Manual: never by itself',
  ],
  cycleHint: [
    '在机云手机最新的已校验备份超过该天数时，在运行中再备份一次；1-30',
    'Once its newest verified backup is older than so many days, a phone that stays is backed up again while it goes on: 1 to 30',
  ],
  cycleWeeklyHint: ['整周的天数：7、14、21 或 28', 'Whole weeks in days: 7, 14, 21 or 28'],
  downloadHint: [
    '所有可达代理合计，从本节点读取（恢复、校验）；1-1000，不填则不限速。机房的限速同时有效，以较低者为准',
    'Of all its agents together, when they read from it (restores, checks): 1 to 1000; line rate if blank. The limit of a room counts besides: the lower one binds',
  ],
  uploadHint: [
    '所有可达代理合计，写入本节点（备份）；1-1000，不填则不限速。机房的限速同时有效，以较低者为准',
    'Of all its agents together, when they write to it (backups): 1 to 1000; line rate if blank. The limit of a room counts besides: the lower one binds',
  ],
  lineRate: ['不限速', 'Line rate'],
  mbit: (mbit: string) => [`${mbit} Mbit/s`, `${mbit} Mbit/s`],
  down: (rate: string) => [`下载 ${rate}`, `Down: ${rate}`],
  up: (rate: string) => [`上传 ${rate}`, `Up: ${rate}`],
  fields: {
    ...nodeWords,
    capacity: nodeWords.capacityBytes,
    unit: ['单位', 'Unit'],
    measuredAt: ['统计时间', 'Added up at'],
    sealedBefore: ['待用新主密钥封装的密钥文件', 'Key files to be sealed with the new master key'],
  },
})

export const agentMessages = defineMessages({
  fields: {
    agent: ['机房代理', 'Agent'],
    room: ['机房', 'Room'],
    result: ['结果', 'Result'],
    rates: ['当前限速', 'Limit now'],
  },
})

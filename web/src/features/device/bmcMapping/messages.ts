import { words as axisWords } from '@/api/words/Axis'
import { words as bmcWords } from '@/api/words/BmcView'
import { words as hostWords } from '@/api/words/HostView'
import { counted, defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  empty: ['还没有 BMC', 'No BMCs yet'],
  emptyHint: [
    '登记刀片的管理控制器，并说明每个槽位给哪张卡供电',
    'Add the management controllers of the blades, and map each slot to the card it powers',
  ],
  search: ['按 BMC 的 IP 查找', 'BMC IP address'],
  create: ['新建 BMC', 'New BMC'],
  check: ['检测', 'Check'],
  edit: ['编辑', 'Edit'],
  editTitle: (name: string) => [`编辑 BMC ${name}`, `Edit BMC ${name}`],
  remove: ['删除', 'Delete'],
  removeQuestion: ['删除后无法再对这些卡进行电源操作', 'Power operations on its cards will no longer be possible'],
  passwordGoes: [
    '机房、地址或端口已更改：原密码和证书将被清除，请重新填写密码',
    'Room, address or port changed: the stored password and certificate will be cleared. Enter the password again',
  ],
  rangesHint: ['槽位数与 IP 数必须相同', 'The number of slots must equal the number of IP addresses'],
  addRange: ['增加一段', 'Add range'],
  removeRange: ['移除此段', 'Remove this range'],
  slots: (first: number, last: number) => [`槽位 ${first} 到 ${last}`, `Slots ${first}–${last}`],
  notYet: ['首次连接时记录', 'Recorded on first connection'],
  fields: {
    ...bmcWords,
    roomId: bmcWords.room,
    hostId: hostWords.name,
    password: ['密码', 'Password'],
    startSlot: ['起始槽位', 'First slot'],
    endSlot: ['结束槽位', 'Last slot'],
    startIp: ['起始 IP', 'First IP'],
    endIp: ['结束 IP', 'Last IP'],
  },
})

/** The result of a BMC check. */
export const checkMessages = defineMessages({
  title: (name: string) => [`检测 BMC ${name}`, `Check BMC ${name}`],
  again: ['重新检测', 'Check again'],
  whole: ['整机电源', 'Power of all'],
  wholeOf: (cards: number) => [`全部 ${cards} 张卡`, counted(cards, 'card')],
  ok: (millis: number) => [`连接与登录成功，用时 ${millis} 毫秒`, `Connected and signed in, ${millis} ms`],
  pinned: [
    '首次连接，已记录其证书；今后证书变化将拒绝连接',
    'First connection: its certificate was recorded. From now on a different certificate is refused',
  ],
  failedHint: [
    '请核对地址、端口、账号和密码；连续的错误登录会锁定 BMC 账号，一分钟内不会再次尝试',
    'Check the address, port, username and password. Repeated wrong passwords lock BMC accounts, so a refused one is not tried again within a minute',
  ],
  certificate: bmcWords.certificate,
  slots: (count: number) => [`槽位 ${count}`, `Slots ${count}`],
  sensors: (count: number) => [`传感器 ${count}`, `Sensors ${count}`],
  slotTable: ['槽位', 'Slots'],
  sensorTable: ['传感器', 'Sensors'],
  slot: hostWords.slot,
  name: ['名称', 'Name'],
  power: axisWords.power.label,
  health: ['状态', 'Health'],
  card: ['映射的卡', 'Mapped card'],
  acts: ['操作', 'Actions'],
  reading: ['读数', 'Reading'],
  critical: ['严重阈值', 'Critical threshold'],
  noCard: ['没有映射', 'Not mapped'],
  unmapped: (serial: string) => [`没有映射（BMC 报告 ${serial}）`, `Not mapped (the BMC reports ${serial})`],
  other: (found: string, expected: string) => [
    `BMC 报告的卡是 ${found}，登记的是 ${expected}`,
    `The BMC reports ${found}, the record says ${expected}`,
  ],
  noSlots: ['BMC 没有报告槽位', 'The BMC reports no slots'],
  noSensors: ['BMC 没有报告传感器', 'The BMC reports no sensors'],
})

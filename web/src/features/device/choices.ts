import { defineChoices } from '@/kit/choices'

/** 运行状态 */
export const runStatus = defineChoices({
  idle: { value: 1, label: ['空闲', 'Idle'], tone: 'good' },
  inUse: { value: 2, label: ['使用中', 'In use'], tone: 'info' },
  maintenance: { value: 3, label: ['维护中', 'Maintenance'], tone: 'warn' },
  fault: { value: 4, label: ['故障', 'Fault'], tone: 'bad' },
  upgrading: { value: 5, label: ['升级中', 'Upgrading'], tone: 'busy' },
  offline: { value: 6, label: ['离线', 'Offline'], tone: 'bad' },
  unknown: { value: 7, label: ['未知', 'Unknown'], tone: 'muted' },
})

/** 网络状态 */
export const networkStatus = defineChoices({
  online: { value: 1, label: ['在线', 'Online'], tone: 'good' },
  degraded: { value: 2, label: ['异常', 'Degraded'], tone: 'warn' },
  offline: { value: 3, label: ['离线', 'Offline'], tone: 'bad' },
})

/** Where a card is in its life. */
export const lifecycle = defineChoices({
  expected: { value: 1, label: ['待上架', 'Expected'], tone: 'muted' },
  discovered: { value: 2, label: ['已发现', 'Discovered'], tone: 'info' },
  registered: { value: 3, label: ['已登记', 'Registered'], tone: 'good' },
  faulty: { value: 4, label: ['故障', 'Faulty'], tone: 'bad' },
  retired: { value: 5, label: ['已报废', 'Retired'], tone: 'muted' },
})

/** Whether somebody works on it. */
export const maintenance = defineChoices({
  none: { value: 1, label: ['正常', 'In service'], tone: 'good' },
  draining: { value: 2, label: ['排空中', 'Draining'], tone: 'busy' },
  inMaintenance: { value: 3, label: ['维护中', 'In maintenance'], tone: 'warn' },
})

/** From where on a maintenance holds. */
export const maintenanceScope = defineChoices({
  card: { value: 1, label: ['本卡', 'This card'] },
  host: { value: 2, label: ['主机', 'Host'] },
  frame: { value: 3, label: ['机架', 'Frame'] },
  room: { value: 4, label: ['机房', 'Room'] },
})

/** Power, as the BMC says. */
export const power = defineChoices({
  on: { value: 1, label: ['通电', 'On'], tone: 'good' },
  off: { value: 2, label: ['断电', 'Off'], tone: 'muted' },
  unknown: { value: 3, label: ['未知', 'Unknown'], tone: 'muted' },
})

/** What a card is doing for a phone. */
export const occupancy = defineChoices({
  free: { value: 1, label: ['空闲', 'Free'], tone: 'good' },
  reserved: { value: 2, label: ['已预留', 'Reserved'], tone: 'info' },
  restoring: { value: 3, label: ['恢复中', 'Restoring'], tone: 'busy' },
  inUse: { value: 4, label: ['使用中', 'In use'], tone: 'info' },
  backingUp: { value: 5, label: ['备份中', 'Backing up'], tone: 'busy' },
  wiping: { value: 6, label: ['擦除中', 'Wiping'], tone: 'busy' },
})

/** A layer of connectivity. */
export const fact = defineChoices({
  yes: { value: 1, label: ['是', 'Yes'], tone: 'good' },
  no: { value: 2, label: ['否', 'No'], tone: 'bad' },
  unknown: { value: 3, label: ['未知', 'Unknown'], tone: 'muted' },
})

export const yesNo = defineChoices({
  yes: { value: true, label: ['是', 'Yes'] },
  no: { value: false, label: ['否', 'No'] },
})

/** What a line of a card's timeline is about. */
export const axis = defineChoices({
  lifecycle: { value: 1, label: ['生命周期', 'Lifecycle'] },
  power: { value: 2, label: ['电源', 'Power'] },
  wantedPower: { value: 3, label: ['期望电源', 'Wanted power'] },
  reached: { value: 4, label: ['代理可达', 'Reached'] },
  tcpOpen: { value: 5, label: ['端口开放', 'Port open'] },
  adbAnswers: { value: 6, label: ['ADB 应答', 'ADB answers'] },
  booted: { value: 7, label: ['系统启动', 'Android booted'] },
  occupancy: { value: 8, label: ['占用', 'Occupancy'] },
  maintenance: { value: 9, label: ['维护', 'Maintenance'] },
  assignable: { value: 10, label: ['可分配', 'Assignable'] },
  overcommit: { value: 11, label: ['超分', 'Overcommit'] },
  upgrading: { value: 12, label: ['升级', 'Upgrading'] },
  place: { value: 13, label: ['位置', 'Position'] },
  record: { value: 14, label: ['资料', 'Record'] },
})

/** Who changed a card. */
export const source = defineChoices({
  operator: { value: 1, label: ['操作员', 'Operator'] },
  agent: { value: 2, label: ['机房代理', 'Room agent'] },
  console: { value: 3, label: ['控制台', 'Console'] },
})

/** How the books and a room differ. */
export const findingKind = defineChoices({
  new: { value: 1, label: ['新设备', 'New'], tone: 'info' },
  missing: { value: 2, label: ['未找到', 'Missing'], tone: 'bad' },
  moved: { value: 3, label: ['已移动', 'Moved'], tone: 'warn' },
  duplicateAddress: { value: 4, label: ['地址重复', 'Duplicate address'], tone: 'bad' },
  wrongModel: { value: 5, label: ['型号不符', 'Wrong model'], tone: 'warn' },
  ghost: { value: 6, label: ['已报废仍在线', 'Ghost'], tone: 'warn' },
})

/** Who carries a line. */
export const carrier = defineChoices({
  telecom: { value: 1, label: ['中国电信', 'China Telecom'] },
  unicom: { value: 2, label: ['中国联通', 'China Unicom'] },
  mobile: { value: 3, label: ['中国移动', 'China Mobile'] },
  broadcast: { value: 4, label: ['中国广电', 'China Broadnet'] },
  bgp: { value: 5, label: ['BGP', 'BGP'] },
  other: { value: 9, label: ['其他', 'Other'] },
})

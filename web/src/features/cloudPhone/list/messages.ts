import { words as operationWords } from '@/api/words/OperationKind'
import { words as ruleWords, title } from '@/api/words/PhoneLife'
import { words as phoneWords } from '@/api/words/PhoneView'
import { words as sagaWords } from '@/api/words/SagaKind'
import { counted, defineMessages, type Pair } from '@/i18n/messages'
import { staysBehind } from '../links'

const putOnQuestion: Pair = [
  '在归属机房的空闲板卡上启动云手机；没有空闲板卡时排队',
  'Starts the phone on a free card of its home room; it queues while there is none',
]

export const messages = defineMessages({
  empty: ['还没有云手机', 'No cloud phones yet'],
  emptyHint: [
    '为客户端用户新建云手机，或从表格导入；下单后也会出现在这里',
    'Create phones for a client user or import them from a spreadsheet; orders will appear here too',
  ],
  search: ['编号、名称、用户、手机号、卡地址', 'Code, name, user, phone number or card address'],
  fields: {
    ...phoneWords,
    // The file counts bytes; the screen shows units, and beside the size of the disk.
    usedBytes: ['已用空间', 'Used space'],
    disk: ['云盘', 'Disk'],
    userId: phoneWords.user,
    roomId: phoneWords.room,
    count: ['数量', 'How many'],
    days: ['有效天数', 'Valid for days'],
    held: ['待处理', 'To decide'],
    expiresSoon: ['7 天内到期', 'Due in 7 days'],
    answeredFor: ['由我担保旧卡不再运行', 'I answer for the lost cards'],
    userNumber: ['用户手机号或识别码', 'User phone or identification code'],
    noBackup: ['在机无备份', 'On, without a backup'],
    queued: ['排队等卡', 'Queued for a card'],
    failed: ['24 小时内上下机失败', 'Failed to come or go in 24 h'],
    term: ['购买时长', 'Bought for'],
  },
  viewOn: ['在机', 'On'],
  viewOff: ['下机', 'Off'],
  viewFrozen: ['冻结', 'Frozen'],
  viewExpired: ['到期宽限', 'In grace'],
  viewHeld: ['待处理', 'To decide'],
  viewSoon: ['7 天内到期', 'Due in 7 days'],
  create: ['新建云手机', 'New cloud phones'],
  createHint: [
    '编号由系统生成；数量大于 1 时各台只有编号不同',
    'Codes are made by the system; several phones differ in their codes only',
  ],
  import: ['导入', 'Import'],
  importTitle: ['导入云手机', 'Import cloud phones'],
  rules: title,
  edit: ['编辑', 'Edit'],
  editTitle: (code: string) => [`编辑云手机 ${code}`, `Edit phone ${code}`],
  roomHint: ['下机后才能更改归属机房', 'The home room can change only while the phone is off the machine'],
  renew: operationWords.phoneRenew.label,
  renewDays: ['续费天数', 'Days to add'],
  renewQuestion: [
    '从到期时间起延长；已到期的从现在起算，并恢复正常',
    'Days are added to the expiry; an expired phone counts from now and becomes active',
  ],
  changePlan: operationWords.phonePlan.label,
  changePlanQuestion: [
    '只能变更下机的云手机；用过的云手机不能换到其他板卡',
    'Only phones off the machine can change; one that was used stays on its board',
  ],
  freeze: operationWords.phoneFreeze.label,
  freezeQuestion: ['冻结后用户不能使用云手机，数据保留', 'The user cannot use the phone; its data is kept'],
  thaw: operationWords.phoneThaw.label,
  thawQuestion: ['解冻后用户可以继续使用', 'The user can use the phone again'],
  release: operationWords.phoneRelease.label,
  releaseQuestion: [
    '释放后用户失去云手机；保留期内可恢复，之后清除，有备份的暂不清除。在机的云手机若不下机，在此期间留在原卡上，之后卡上的数据一并清除',
    'The user loses the phone. It can be restored for some days, then it is erased, unless it has backups. One on the machine that is not taken off stays on its card until then, and what is on that card is wiped with it',
  ],
  restore: operationWords.phoneRestore.label,
  restoreQuestion: ['恢复后用户重新拥有云手机', 'The user has the phone again'],
  putOn: sagaWords.putOn.label,
  putOnQuestion,
  putOnUsedQuestion: [
    `${putOnQuestion[0]}。用过的云手机若原卡仍封存，几秒内回到原卡；否则恢复其保留副本中的应用和数据，板卡的镜像须与备份时相同。${staysBehind[0]}`,
    `${putOnQuestion[1]}. One that was used comes back within seconds to the card that it left, if that is still sealed; otherwise with the apps and the data of its kept copy, on a card with the same image. ${staysBehind[1]}`,
  ],
  putOnBackQuestion: [
    '下机取消，云手机在原卡上恢复运行；若已下机，则按上机处理',
    'Turns the take-off back: the phone goes on where it is. If it is off by then, it is put on',
  ],
  takeOff: sagaWords.takeOff.label,
  takeOffQuestion: [
    `云手机停止并复制到存储节点；正在使用的用户会中断，再次上机前不能使用。副本读回校验后数据保存在备份中，卡封存，有其他云手机需要时清除其上的数据；此前若失败，云手机在原卡上恢复运行。${staysBehind[0]}`,
    `The phone stops and is copied to a storage node; whoever uses it is cut off, until it is put on again. Once the copy was read back, its data lies in storage, and its card is sealed, and wiped when another phone needs it; if anything fails before that, the phone goes on where it was. ${staysBehind[1]}`,
  ],
  restart: sagaWords.restart.label,
  restartQuestion: [
    '云手机在板卡上重新启动，正在使用的用户会中断',
    'The phone restarts on its card; whoever uses it is interrupted',
  ],
  backUp: ['立即备份', 'Back up now'],
  backUpQuestion: [
    '云手机会停止几分钟，正在使用的用户会中断；备份后自动恢复运行',
    'The phone stops for some minutes, whoever uses it is interrupted, and then it goes on',
  ],
  acceptCopy: ['用备份恢复', 'Go on from the copy'],
  acceptCopyQuestion: [
    `云手机离开失联的卡，在归属机房的另一张卡上用最新的完好备份恢复（在线备份中的文件可能不是同一时刻的）；备份之后写入的数据只在旧卡上。旧卡恢复连接后先停止，不会自动清除。${staysBehind[0]}`,
    `The phone leaves the lost card, and goes on with its newest whole copy on another card of its home room (files of a live one may not be of the same moment); what was written since is on the lost card alone. If that comes back it is stopped first, and not wiped by itself. ${staysBehind[1]}`,
  ],
  answeredForHint: [
    '未经 BMC 确认断电的卡恢复后会与云手机重复运行；请先断电，或担保并说明原因',
    'A card that its BMC does not know to be off would run the phone twice if it comes back. Power it off, or answer for it and say why',
  ],
  giveUp: ['放弃数据', 'Give up the data'],
  giveUpQuestion: [
    '没有完好的备份：卡上的数据不再找回，云手机恢复为从未上机的状态。须由另一位操作员批准',
    'There is no whole copy: what is on the lost card is given up, and the phone is as new. Another operator has to approve it',
  ],
  openElsewhere: operationWords.phoneOpenElsewhere.label,
  openElsewhereQuestion: [
    `用于代理失联的机房：云手机的归属机房改为另一机房，在机的离开旧卡，以后上机时用最新的完好备份恢复；备份之后写入的数据只在旧卡上。机房恢复后，旧卡上运行的系统先停止，不会自动清除。须由另一位操作员批准。${staysBehind[0]}`,
    `For a room whose agent is gone: another room becomes the home of the phones. Those on cards leave these and go on from their newest whole copies when they are put on; what was written since is on the old cards alone. When the room is back, what runs there is stopped first, and not wiped by itself. Another operator has to approve it. ${staysBehind[1]}`,
  ],
  otherRoom: ['另一机房', 'Other room'],
  cutOff: ['由我担保旧机房的卡已断电或断网', 'I answer for it that the old cards are off or cut off'],
  copyOf: ['备份时间', 'Copy of'],
  byRule: ['按规则：', 'By rule:'],
  termDays: (days: number) => [`${days} 天`, counted(days, 'day')],
  yearCard: (days: number) => [`${days} 天（年卡）`, `${counted(days, 'day')} (year card)`],
  queued: ['已排队，进度见“过程”', 'Queued; “Steps” shows its progress'],
  position: (place: number) => [`第 ${place} 位`, `no. ${place}`],
  sagas: ['过程', 'Steps'],
  heldRules: ['规则', 'Rules'],
  happened: ['经过', 'What happened'],
  screen: ['画面', 'Screen'],
  files: ['文件', 'Files'],
  backups: ['备份', 'Backups'],
  sessions: ['在机会话', 'Sessions'],
  goOn: ['继续处理', 'Go on'],
  goOnQuestion: [
    '已查看该安卓卡，可以再次清除上面的数据；若该镜像的画像未经认定，也会按其清除',
    'Confirms that you have looked at the card: what is on it is wiped again, also after a profile of its image that nobody has tried yet',
  ],
  leaveAgainQuestion: [
    '立即再次尝试下机；云手机在原卡上运行到那时为止',
    'Tries to take the phone off again now; it goes on where it is until then',
  ],
  shrunkQuestion: [
    '确认数据确实变少：重新备份后下机，上一份备份保护 14 天',
    'Confirms that the phone has this little: it is backed up once more and taken off, and the backup before is safe for 14 days',
  ],
  retryAt: ['自动重试', 'Tried again'],
  noSagas: ['没有记录', 'Nothing recorded'],
  onMachine: ['请先下机', 'Take it off the machine first'],
  done: ['已完成', 'Done'],
  resultTitle: ['部分云手机未更改', 'Some phones were not changed'],
  result: (changed: string, left: string) => [
    `已更改 ${changed} 台，${left} 台保持不变`,
    `Changed: ${changed}. Left as they are: ${left}`,
  ],
  close: ['关闭', 'Close'],
  toOperation: ['查看这次操作', 'See this operation'],
  begun: ['已开始，数量较大，稍后完成', 'Started; there are many, so it takes a while'],
  willRun: (count: string) => [`将对 ${count} 台执行`, `Will be done to ${counted(count, 'phone')}`],
  willRunOf: (count: string, total: string) => [
    `将对 ${count} 台执行（共 ${total} 台）`,
    `Will be done to ${count} of ${counted(total, 'phone')}`,
  ],
  nothing: ['选中的云手机都不能执行', 'It can be done to none of these phones'],
  more: ['选中的云手机很多，以上为前一部分的预检结果', 'Large selection: only the first part of it was checked'],
  daysLeft: (days: number) => [`剩 ${days} 天`, counted(days, 'day left', 'days left')],
  daysOver: (days: number) => [`过 ${days} 天`, counted(days, 'day ago', 'days ago')],
  stays: (days: number) => [`还可恢复 ${days} 天`, counted(days, 'day to restore', 'days to restore')],
  notFound: ['云手机不存在', 'There is no such cloud phone'],
  notFoundHint: ['它可能不在这家公司，请检查地址', 'Check the address, or look for it in the list'],
  toList: ['云手机列表', 'Cloud phones'],
  overview: ['概览', 'Overview'],
  where: ['现在在哪里', 'Where it is now'],
  whereOn: ['在安卓卡上，用户可以连接', 'On a card; the user can connect'],
  whereLeaving: [
    '正在下机：停止后用户不能连接，完成后数据在备份中',
    'Being taken off: once it has stopped nobody can connect, and in the end its data is in a backup',
  ],
  whereLost: [
    '卡已失联，用户无法连接；卡恢复后自动继续',
    'Its card is lost, and nobody can connect; it goes on by itself when the card is back',
  ],
  whereBlank: ['从未上机，没有数据', 'Never used; it holds no data'],
  whereOff: ['已下机，数据在备份中', 'Off the machine; its data is in a backup'],
  connectBy: (app: string) => [`由 ${app} 连接，自`, `by ${app}, since`],
  profile: ['资料', 'Details'],
})

export const ruleMessages = defineMessages({
  title,
  hint: [
    '释放的云手机先保留，再清除；到期后保留几天在云手机规则中设置',
    'A released phone is kept, then erased. For how long an expired one is kept is one of the phone rules',
  ],
  fields: ruleWords,
  stayHint: ['释放后多少天内可恢复，之后清除', 'For how long a released phone can be restored before it is erased'],
  stepDaysHint: [
    '“过程”中的记录保留多少天；上机和下机的记录随云手机保留',
    'For how many days “Steps” keeps what was done; put-ons and take-offs stay as long as the phone',
  ],
  liveHoursHint: [
    '在机云手机最新的已校验备份超过该时长时，在运行中再备份一次；0 为不再备份',
    'Once its newest verified backup is older, a phone that is on is backed up again while it goes on; 0 means never',
  ],
})

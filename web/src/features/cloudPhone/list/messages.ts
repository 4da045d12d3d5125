import { words as ruleWords, title } from '@/api/words/PhoneLife'
import { words as phoneWords } from '@/api/words/PhoneView'
import { counted, defineMessages } from '@/i18n/messages'

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
    userNumber: ['用户手机号或识别码', 'User phone or identification code'],
  },
  viewOn: ['在机', 'On'],
  viewOff: ['下机', 'Off'],
  viewFrozen: ['冻结', 'Frozen'],
  viewExpired: ['到期宽限', 'In grace'],
  viewSoon: ['7 天内到期', 'Due in 7 days'],
  create: ['新建云手机', 'New cloud phones'],
  createHint: [
    '编号由系统生成；数量大于 1 时各台只有编号不同',
    'Codes are made by the system; several phones differ in their codes only',
  ],
  import: ['导入', 'Import'],
  importTitle: ['导入云手机', 'Import cloud phones'],
  rules: ['到期规则', 'Expiry rules'],
  edit: ['编辑', 'Edit'],
  editTitle: (code: string) => [`编辑云手机 ${code}`, `Edit phone ${code}`],
  roomHint: ['下机后才能更改归属机房', 'The home room can change only while the phone is off the machine'],
  renew: ['续费', 'Renew'],
  renewDays: ['续费天数', 'Days to add'],
  renewQuestion: [
    '从到期时间起延长；已到期的从现在起算，并恢复正常',
    'Days are added to the expiry; an expired phone counts from now and becomes active',
  ],
  changePlan: ['变更套餐', 'Change plan'],
  changePlanQuestion: [
    '只能变更下机的云手机；用过的云手机不能换到其他板卡',
    'Only phones off the machine can change; one that was used stays on its board',
  ],
  freeze: ['冻结', 'Freeze'],
  freezeQuestion: ['冻结后用户不能使用云手机，数据保留', 'The user cannot use the phone; its data is kept'],
  thaw: ['解冻', 'Thaw'],
  thawQuestion: ['解冻后用户可以继续使用', 'The user can use the phone again'],
  release: ['释放', 'Release'],
  releaseQuestion: [
    '释放后用户失去云手机；保留期内可恢复，之后清除',
    'The user loses the phone. It can be restored for some days, then it is erased',
  ],
  restore: ['恢复', 'Restore'],
  restoreQuestion: ['恢复后用户重新拥有云手机', 'The user has the phone again'],
  onMachine: ['请先下机', 'Take it off the machine first'],
  done: ['已完成', 'Done'],
  resultTitle: ['部分云手机未更改', 'Some phones were not changed'],
  result: (changed: string, left: string) => [
    `已更改 ${changed} 台，${left} 台保持不变`,
    `Changed: ${changed}. Left as they are: ${left}`,
  ],
  close: ['关闭', 'Close'],
  daysLeft: (days: number) => [`剩 ${days} 天`, counted(days, 'day left', 'days left')],
  daysOver: (days: number) => [`过 ${days} 天`, counted(days, 'day ago', 'days ago')],
  stays: (days: number) => [`还可恢复 ${days} 天`, counted(days, 'day to restore', 'days to restore')],
  notFound: ['云手机不存在', 'There is no such cloud phone'],
  notFoundHint: ['它可能不在这家公司，请检查地址', 'Check the address, or look for it in the list'],
  toList: ['云手机列表', 'Cloud phones'],
  overview: ['概览', 'Overview'],
  where: ['现在在哪里', 'Where it is now'],
  whereOn: ['在安卓卡上，用户可以连接', 'On a card; the user can connect'],
  whereBlank: ['从未上机，没有数据', 'Never used; it holds no data'],
  whereOff: ['已下机，数据在备份中', 'Off the machine; its data is in a backup'],
  profile: ['资料', 'Details'],
})

export const ruleMessages = defineMessages({
  title,
  hint: ['到期后云手机先保留，再释放，最后清除', 'An expired phone is kept, then released, then erased'],
  fields: ruleWords,
  releaseGraceHint: [
    '到期后多少天内可续费，之后自动释放',
    'For how long an expired phone can be renewed before it is released',
  ],
  stayHint: ['释放后多少天内可恢复，之后清除', 'For how long a released phone can be restored before it is erased'],
})

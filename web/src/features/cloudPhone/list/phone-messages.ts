import { words as phoneWords } from '@/api/words/PhoneView'
import { counted, defineMessages } from '@/i18n/messages'

/** The page of one phone. */
export const phoneMessages = defineMessages({
  fields: { ...phoneWords, term: ['购买时长', 'Bought for'] },
  notFound: ['云手机不存在', 'There is no such cloud phone'],
  notFoundHint: ['它可能不在这家公司，请检查地址', 'Check the address, or look for it in the list'],
  toList: ['云手机列表', 'Cloud phones'],
  termActs: ['套餐与期限', 'Plan and term'],
  happened: ['经过', 'What happened'],
  profile: ['资料', 'Details'],
  termDays: (days: number) => [`${days} 天`, counted(days, 'day')],
  yearCard: (days: number) => [`${days} 天（年卡）`, `${counted(days, 'day')} (year card)`],
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
  guaranteed: ['专属卡：不按规则下机', 'Dedicated card: no rule takes the phone off it'],
  onShared: [
    '当前在共享卡上，仍按规则下机；下次上机时上专属卡',
    'On a shared card for now, which rules take it off; it comes on a dedicated one the next time',
  ],
  withheld: (app: string) => [
    `应用“${app}”已被禁止，上机时未恢复`,
    `“${app}” is forbidden, and did not come with the phone`,
  ],
  withheldUntil: ['数据在备份中保留至', 'Its data is kept in a backup until'],
  connectBy: (app: string) => [`由 ${app} 连接，自`, `by ${app}, since`],
  sagas: ['过程', 'Steps'],
  copyOf: ['备份时间', 'Copy of'],
  backTo: ['随后用此时的备份上机：', 'Comes back with the backup of'],
  byRule: ['按规则：', 'By rule:'],
  goOnQuestion: [
    '已查看该安卓卡，可以再次清除上面的数据；若该镜像的画像未经认定，也会按其清除',
    'Confirms that you have looked at the card: what is on it is wiped again, also after a profile of its image that nobody has tried yet',
  ],
  salvageQuestion: [
    '卡恢复连接后，先把上面的数据另行备份（保护 14 天，云手机不以此为保留副本），校验无误后清除；备份不了则原样保留。曾失联的卡备份时会短暂运行',
    'As soon as the card answers, what is on it is backed up (safe for 14 days; the phone does not live by it), read back, and wiped then; what cannot be backed up stays. A card that was lost runs for a moment for that',
  ],
  leaveAgainQuestion: [
    '立即再次尝试下机；云手机在原卡上运行到那时为止',
    'Tries to take the phone off again now; it goes on where it is until then',
  ],
  cancelPutOn: ['取消上机', 'Cancel the put-on'],
  cancelPutOnQuestion: [
    '云手机不上机，保持下机；备份不变',
    'The phone does not come on a card, and stays off; its copies stay as they are',
  ],
  cancelTakeOff: ['取消下机', 'Cancel the take-off'],
  cancelTakeOffQuestion: [
    '云手机留在原卡上，不再自动重试；按规则的下机最早半小时后再判断',
    'The phone stays on its card, and it is not tried again by itself; rules that want it to leave ask again half an hour later at the earliest',
  ],
  shrunkQuestion: [
    '确认数据确实变少：重新备份后下机，上一份备份保护 14 天',
    'Confirms that the phone has this little: it is backed up once more and taken off, and the backup before is safe for 14 days',
  ],
  retryAt: ['自动重试', 'Tried again'],
  noSagas: ['没有记录', 'Nothing recorded'],
  screen: ['画面', 'Screen'],
  files: ['文件', 'Files'],
  backups: ['备份', 'Backups'],
  sessions: ['在机会话', 'Sessions'],
  coverage: ['备份范围', 'What a copy holds'],
  heldRules: ['规则', 'Rules'],
})

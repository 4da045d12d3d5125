import { words as sessionWords } from '@/api/words/PhoneSessionView'
import { defineMessages } from '@/i18n/messages'

const joined = (one: string, rest: number, other: string) => (rest > 0 ? `${one} ${other}` : one)

export const messages = defineMessages({
  empty: ['还没有在机会话', 'No sessions yet'],
  emptyHint: [
    '云手机每次上机到下机是一条会话，包括谁在用、用了多久',
    'Each time that a phone is on a card is a session: from when to when, and who used it for how long',
  ],
  search: ['云手机编号、用户或安卓卡', 'Phone, user or card'],
  viewUsed: ['正在使用', 'In use'],
  viewOn: ['在机', 'On'],
  inUse: ['正在使用', 'In use'],
  on: ['在机', 'On'],
  silent: (lasting: string) => [`网关静默 ${lasting}`, `Gateway silent for ${lasting}`],
  seconds: (count: number, _rest: number) => [`${count} 秒`, `${count} s`],
  minutes: (count: number, _rest: number) => [`${count} 分`, `${count} min`],
  hours: (count: number, rest: number) => [
    joined(`${count} 小时`, rest, `${rest} 分`),
    joined(`${count} h`, rest, `${rest} min`),
  ],
  days: (count: number, rest: number) => [
    joined(`${count} 天`, rest, `${rest} 小时`),
    joined(`${count} d`, rest, `${rest} h`),
  ],
  fields: {
    ...sessionWords,
    state: ['状态', 'State'],
    roomId: sessionWords.room,
    phoneId: sessionWords.phone,
    isOn: ['在机', 'On'],
    isUsed: ['正在使用', 'In use'],
    byRule: ['按规则下机', 'Taken off by rule'],
    // The file counts seconds; the screen says them in words.
    waitS: ['等待', 'Waited'],
    onS: ['在机时长', 'On for'],
    streamedS: ['使用时长', 'Used for'],
    silentS: ['网关静默', 'Gateway silent'],
  },
})

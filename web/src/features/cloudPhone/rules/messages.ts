import { words as changeWords } from '@/api/words/RuleChangeView'
import { words as scopeWords } from '@/api/words/RuleScope'
import { words as rowWords } from '@/api/words/RuleScopeRow'
import { words as ruleWords } from '@/api/words/RuleValues'
import { counted, defineMessages } from '@/i18n/messages'

export const partMessages = defineMessages({
  values: ['总则与套餐', 'Everybody and plans'],
  own: ['机房与单台', 'Rooms and phones'],
  changes: ['修改记录', 'Changes'],
})

/** A table, a form and a page are about the rules themselves. */
export const messages = defineMessages({
  fields: {
    ...ruleWords,
    rule: changeWords.field,
    night: ruleWords.nightClose,
    nightFrom: ['夜间停用起', 'Closed from'],
    nightTo: ['夜间停用止', 'Closed until'],
    from: ['来自', 'Comes from'],
    value: ['当前值', 'Value'],
  },
  hint: [
    '越具体的越优先：全部 < 套餐 < 机房 < 机房和套餐 < 单台云手机。浅色的值为沿用',
    'The narrower wins: everybody, plan, room, room and plan, one phone. Values in grey are inherited',
  ],
  obeyed: [
    '按规则下机每分钟最多为每个机房同类板卡的 2%（至少 1 台），排队所需的除外；到期提醒经开放接口的推送告知应用',
    "By rule at most 2 % of a room's phones of a board leave a minute (one at least), beside those whose cards others wait for. The notice before the expiry goes to applications by webhook",
  ],
  heldHint: ['对这台云手机生效的规则及其来源', 'The rules that hold for this phone, and where each comes from'],
  none: ['没有规则', 'No rules'],
  builtIn: ['内置默认值', 'Built in'],
  open: ['不停用', 'Not closed'],
  never: ['不自动下机', 'Never'],
  change: (name: string) => [`修改 ${name}`, `Change ${name}`],
  title: (name: string) => [`规则 · ${name}`, `Rules · ${name}`],
  history: ['修改记录', 'History'],
  historyOf: (name: string) => [`修改记录 · ${name}`, `History · ${name}`],
  inherit: ['沿用', 'Inherit'],
  inherits: (value: string, from: string) => [`沿用：${value}（${from}）`, `Inherited: ${value} (${from})`],
  emptyInherits: (value: string, from: string) => [
    `留空沿用：${value}（${from}）`,
    `Empty inherits: ${value} (${from})`,
  ],
  offTitle: ['使用与下机', 'Use, and going off'],
  queueTitle: ['排队与重连', 'Waiting and coming back'],
  expiryTitle: ['到期', 'Expiry'],
  closed: ['每晚停用', 'Closed every night'],
  nightHint: ['机房时间，可跨零点', 'Time of the room; it may go over midnight'],
  idleHint: ['0 为不自动下机', '0 is never'],
  preview: ['试算', 'How many now'],
  previewHint: ['保存前先看会有多少台云手机下机', 'See before saving how many phones would have to leave'],
  leaves: (phones: string, used: string) => [
    `1 分钟内有 ${phones} 台云手机达到下机条件，其中正在使用 ${used} 台（使用者先收到提醒，每分钟最多下机 2%）`,
    `Due to leave within a minute: ${counted(phones, 'phone')}, ${used} of them in use (warned first, and 2 % leave a minute at most)`,
  ],
  leavesNobody: ['现在没有云手机因此下机', 'No phone would have to leave now'],
  guaranteed: (phones: string) => [
    `另有 ${phones} 台在专属卡上，不下机`,
    `Due as well, but kept by dedicated cards: ${counted(phones, 'phone')}`,
  ],
  reaches: (phones: string, on: string) => [
    `有 ${phones} 台云手机的规则值会变化，其中在机 ${on} 台`,
    `Rules would change for ${counted(phones, 'phone')}, ${on} of them on the machine`,
  ],
  reachesNobody: ['不改变任何云手机的规则值', 'Rules would change for no phone'],
})

/** Those who have values of their own. */
export const ownMessages = defineMessages({
  title: partMessages.tree.own,
  empty: ['还没有单独设置的规则', 'Nobody has rules of their own yet'],
  emptyHint: [
    '所有云手机都按内置默认值；可按机房、机房和套餐或单台云手机单独设置',
    'All phones go by what is built in; rooms, plans in a room and single phones can have values of their own',
  ],
  add: ['单独设置', 'Set apart'],
  change: ['修改', 'Change'],
  see: ['查看', 'View'],
  history: ['修改记录', 'History'],
  clear: ['清除', 'Clear'],
  clearQuestion: (name: string) => [
    `清除 ${name} 的全部单独设置，之后沿用上一级的规则`,
    `All values of ${name} are cleared; from then on it inherits them`,
  ],
  fields: {
    ...rowWords,
    field: changeWords.field,
    plan: scopeWords.plan.label,
    roomId: scopeWords.room.label,
    phoneId: scopeWords.phone.label,
  },
})

/** What was changed. */
export const changeMessages = defineMessages({
  title: partMessages.tree.changes,
  empty: ['还没有修改过规则', 'No rule was changed yet'],
  emptyHint: ['每次修改都会记在这里，不能删改', 'Every change is written down here and stays'],
  fields: {
    ...changeWords,
    plan: scopeWords.plan.label,
    roomId: scopeWords.room.label,
    phoneId: scopeWords.phone.label,
  },
})

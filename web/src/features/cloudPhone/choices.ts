import { words as connectWords } from '@/api/words/ConnectState'
import { words as diskStateWords } from '@/api/words/DiskState'
import { words as dropWords } from '@/api/words/DropWhy'
import { words as lifeWords } from '@/api/words/Life'
import { words as poolWords } from '@/api/words/PhonePool'
import { words as sourceWords } from '@/api/words/PhoneSource'
import { words as planWords } from '@/api/words/Plan'
import { words as ruleFieldWords } from '@/api/words/RuleField'
import { words as ruleScopeWords } from '@/api/words/RuleScope'
import { words as sagaKindWords } from '@/api/words/SagaKind'
import { words as sagaStateWords } from '@/api/words/SagaState'
import { words as sessionEndWords } from '@/api/words/SessionEnd'
import { words as stepNameWords } from '@/api/words/StepName'
import { words as stepStateWords } from '@/api/words/StepState'
import { words as useTypeWords } from '@/api/words/UseType'
import { words as yearCardWords } from '@/api/words/YearCardOffline'
import { words } from '@/i18n/words'
import { choicesOf, defineChoices } from '@/kit/choices'

/** What was bought. */
export const plan = defineChoices(planWords)

/** Where a phone is in its life. */
export const life = defineChoices(lifeWords, {
  creating: 'info',
  active: 'good',
  frozen: 'bad',
  expired: 'warn',
  released: 'muted',
  erased: 'muted',
})

/** How full the disk of a phone is. */
export const diskState = defineChoices(diskStateWords, { fine: 'good', nearly: 'warn', over: 'bad' })

/** Whether a phone is on a card. */
export const useType = defineChoices(useTypeWords, { on: 'good', off: 'muted' })

/** How far somebody is who connects to a phone. */
export const connectState = defineChoices(connectWords, {
  waiting: 'info',
  granted: 'busy',
  connected: 'good',
  over: 'muted',
})

/** What is done to a phone step by step. */
export const sagaKind = defineChoices(sagaKindWords)

/** How far that is. */
export const sagaState = defineChoices(sagaStateWords, {
  waiting: 'info',
  running: 'busy',
  goingBack: 'warn',
  done: 'good',
  failed: 'bad',
  held: 'warn',
  cancelled: 'muted',
})

/** Its steps. */
export const stepName = defineChoices(stepNameWords)

/** What has become of a try of one. */
export const stepState = defineChoices(stepStateWords, {
  waiting: 'info',
  running: 'busy',
  done: 'good',
  failed: 'bad',
  dropped: 'muted',
})

/** Why a phone has left its card. */
export const sessionEnd = defineChoices(sessionEndWords, {
  takenOff: 'muted',
  cardLost: 'warn',
  givenUp: 'bad',
  erased: 'muted',
  notAllowed: 'warn',
  expired: 'warn',
  longestSession: 'muted',
  dailyHours: 'muted',
  nightClose: 'muted',
  needed: 'muted',
  idle: 'muted',
})

/** On which cards a phone comes. */
export const pool = defineChoices(poolWords)

/** How a phone came to be. */
export const source = defineChoices(sourceWords)

/** The hardware families that plans run on. */
export const board = choicesOf([
  ['RK_3399', 'RK_3399'],
  ['MTK_G90', 'MTK_G90'],
  ['STARPRO', 'STARPRO'],
])

/** A wish that is there or not. */
export const flag = defineChoices({
  yes: { value: true, label: words.tree.yes },
})

/** Why something of a phone is not copied. */
export const dropWhy = defineChoices(dropWords)

/** For whom the value of a rule holds. */
export const ruleScope = defineChoices(ruleScopeWords)

/** The rules by which phones are used. */
export const ruleField = defineChoices(ruleFieldWords)

/** Whether phones that were bought for a year are taken off by rule. */
export const yearCard = defineChoices(yearCardWords)

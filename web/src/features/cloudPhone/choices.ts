import { words as lifeWords } from '@/api/words/Life'
import { words as sourceWords } from '@/api/words/PhoneSource'
import { words as planWords } from '@/api/words/Plan'
import { words as useTypeWords } from '@/api/words/UseType'
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

/** Whether a phone is on a card. */
export const useType = defineChoices(useTypeWords, { on: 'good', off: 'muted' })

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
  yes: { value: true, label: ['是', 'Yes'] },
})

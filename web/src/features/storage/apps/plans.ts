import { words as planWords } from '@/api/words/Plan'
import { type Choices, defineChoices } from '@/kit/choices'
import { messages } from './messages'

/** The phones of one plan. */
export const plan = defineChoices(planWords)

/** Stands for the phones of all plans. The server has no number for that: it is left out there. */
export const everyPlan = 0

const all = { value: everyPlan, label: messages.tree.allPlans } as const

/** Whose phones may not have an app. */
export const forbiddenPlan: Choices = {
  list: [all, ...plan.list],
  find: (value) => (value === everyPlan ? all : plan.find(value)),
}

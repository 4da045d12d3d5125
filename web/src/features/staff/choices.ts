import { words as accountTypeNameWords } from '@/api/words/AccountTypeName'
import { words as signInMethodWords } from '@/api/words/SignInMethod'
import { words as signInOutcomeWords } from '@/api/words/SignInOutcome'
import { defineChoices } from '@/kit/choices'

/** What sort of account it is. It says how the person works; rights come from the group. */
export const accountType = defineChoices(accountTypeNameWords)

/** Whether an operator may sign in. */
export const enabledState = defineChoices({
  on: { value: true, label: ['启用', 'Enabled'], tone: 'good' },
  off: { value: false, label: ['禁用', 'Disabled'], tone: 'bad' },
})

/** The state of two-step verification. */
export const secondFactorState = defineChoices({
  on: { value: true, label: ['已开启', 'On'], tone: 'good' },
  off: { value: false, label: ['未开启', 'Off'], tone: 'muted' },
})

/** How an operator signed in. */
export const signInMethod = defineChoices(signInMethodWords)

/** The outcome of a sign-in. */
export const signInOutcome = defineChoices(signInOutcomeWords, {
  success: 'good',
  wrongCredentials: 'bad',
  wrongCode: 'bad',
  throttled: 'warn',
  disabled: 'warn',
})

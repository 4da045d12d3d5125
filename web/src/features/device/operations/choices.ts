import { words as operationKindWords } from '@/api/words/OperationKind'
import { words as operationStateWords } from '@/api/words/OperationState'
import { words as targetWords } from '@/api/words/Target'
import { words as taskEffectWords } from '@/api/words/TaskEffect'
import { defineChoices } from '@/kit/choices'
import { taskStep } from '@/kit/preflight/task-step'

export { taskStep }

/** What an operation does to each of its targets. */
export const operationKind = defineChoices(operationKindWords)

/** What an operation is done to. */
export const operationTarget = defineChoices(targetWords)

/** The state of an operation. */
export const operationState = defineChoices(operationStateWords, {
  freezing: 'busy',
  awaitingApproval: 'warn',
  scheduled: 'info',
  running: 'busy',
  paused: 'warn',
  cancelling: 'busy',
  finished: 'good',
  cancelled: 'muted',
  expired: 'bad',
})

/** What a task that did not succeed has done to its card. */
export const taskEffect = defineChoices(taskEffectWords, { neverBegan: 'muted', proved: 'info', unknown: 'warn' })

/** Whether a retry includes tasks in this state. */
export function isRetried(state: number): boolean {
  return state === taskStep.value.failed || state === taskStep.value.expired
}

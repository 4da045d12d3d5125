import { words as taskStepWords } from '@/api/words/TaskStep'
import { defineChoices } from '../choices'

/** What became, or will become, of one target of an operation. */
export const taskStep = defineChoices(taskStepWords, {
  pending: 'muted',
  running: 'busy',
  succeeded: 'good',
  failed: 'bad',
  skipped: 'info',
  incompatible: 'info',
  cancelled: 'muted',
  expired: 'bad',
})

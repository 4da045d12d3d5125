import { words as outcomeWords } from '@/api/words/OpenOutcome'
import { words as ownerWords } from '@/api/words/OpenOwner'
import { words as scopeWords } from '@/api/words/OpenScope'
import { defineChoices } from '@/kit/choices'

/** Whose an application is. */
export const openOwner = defineChoices(ownerWords)

/** What an application may call. */
export const openScope = defineChoices(scopeWords)

/** What became of a call. */
export const openOutcome = defineChoices(outcomeWords, { answered: 'good', refused: 'warn', failed: 'bad' })

/** Whether an application may call. */
export const openState = defineChoices({
  on: { value: true, label: ['启用', 'Enabled'], tone: 'good' },
  off: { value: false, label: ['停用', 'Disabled'], tone: 'muted' },
})

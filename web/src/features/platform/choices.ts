import { words as deliveryWords } from '@/api/words/DeliveryState'
import { words as eventWords } from '@/api/words/HookEvent'
import { words as failureWords } from '@/api/words/HookFailure'
import { words as outcomeWords } from '@/api/words/OpenOutcome'
import { words as ownerWords } from '@/api/words/OpenOwner'
import { words as scopeWords } from '@/api/words/OpenScope'
import { words as serviceWords } from '@/api/words/ServiceKind'
import { words as reachWords } from '@/api/words/ServiceReach'
import { defineChoices } from '@/kit/choices'

/** Whose an application is. */
export const openOwner = defineChoices(ownerWords)

/** What an application may call. */
export const openScope = defineChoices(scopeWords)

/** What became of a call. */
export const openOutcome = defineChoices(outcomeWords, { answered: 'good', refused: 'warn', failed: 'bad' })

/** What applications are told of. */
export const hookEvent = defineChoices(eventWords)

const { test: _test, ...chosenWords } = eventWords

/** What they choose from: a test is sent in any case. */
export const chosenEvent = defineChoices(chosenWords)

/** What has become of something that an application was told. */
export const deliveryState = defineChoices(deliveryWords, { pending: 'busy', delivered: 'good', stuck: 'bad' })

/** Why it was not. */
export const hookFailure = defineChoices(failureWords)

/** Whether an application may call. */
export const openState = defineChoices({
  on: { value: true, label: ['启用', 'Enabled'], tone: 'good' },
  off: { value: false, label: ['停用', 'Disabled'], tone: 'muted' },
})

/** What answers at an address. */
export const serviceKind = defineChoices(serviceWords)

/** What became of the last try to connect to an address. */
export const serviceReach = defineChoices(reachWords, {
  unknown: 'muted',
  reached: 'good',
  unreached: 'bad',
  refused: 'bad',
})

/** Whether an address is given to anybody. */
export const addressState = defineChoices({
  on: { value: true, label: ['启用', 'Enabled'], tone: 'good' },
  off: { value: false, label: ['停用', 'Disabled'], tone: 'muted' },
})

import { words as unitWords } from '@/api/words/CapacityUnit'
import { words as driverWords } from '@/api/words/StoreDriver'
import { words as stateWords } from '@/api/words/StoreState'
import { defineChoices } from '@/kit/choices'

export const storeDriver = defineChoices(driverWords)

export const storeState = defineChoices(stateWords, {
  normal: 'good',
  draining: 'info',
  retired: 'muted',
  unreachable: 'bad',
})

export const capacityUnit = defineChoices(unitWords)

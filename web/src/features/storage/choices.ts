import { words as kindWords } from '@/api/words/BackupKind'
import { words as backupStateWords } from '@/api/words/BackupState'
import { words as strategyWords } from '@/api/words/BackupStrategy'
import { words as questionWords } from '@/api/words/BoardQuestion'
import { words as unitWords } from '@/api/words/CapacityUnit'
import { words as dropWords } from '@/api/words/DropWhy'
import { words as driverWords } from '@/api/words/StoreDriver'
import { words as stateWords } from '@/api/words/StoreState'
import { words as outcomeWords } from '@/api/words/TrialOutcome'
import { defineChoices } from '@/kit/choices'

export const storeDriver = defineChoices(driverWords)

export const storeState = defineChoices(stateWords, {
  normal: 'good',
  draining: 'info',
  retired: 'muted',
  unreachable: 'bad',
})

/** When phones are copied to a node, besides at take-off and when somebody asks. */
export const backupStrategy = defineChoices(strategyWords)

export const capacityUnit = defineChoices(unitWords)

/** What a copy of a phone holds. */
export const backupKind = defineChoices(kindWords)

/** Why something is in no copy. */
export const dropWhy = defineChoices(dropWords)

/** What has become of a copy. */
export const backupState = defineChoices(backupStateWords, {
  pending: 'info',
  running: 'busy',
  uploaded: 'info',
  verified: 'good',
  failed: 'bad',
  deleting: 'muted',
  lost: 'bad',
})

/** What only a card of an image can show. */
export const boardQuestion = defineChoices(questionWords)

/** What came of that. */
export const trialOutcome = defineChoices(outcomeWords, { untried: 'warn', works: 'good', fails: 'bad' })

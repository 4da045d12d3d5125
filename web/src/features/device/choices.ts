import { words as axisWords } from '@/api/words/Axis'
import { words as bmcStateWords } from '@/api/words/BmcState'
import { words as carrierWords } from '@/api/words/Carrier'
import { words as factWords } from '@/api/words/Fact'
import { words as findingKindWords } from '@/api/words/FindingKind'
import { words as lifecycleWords } from '@/api/words/Lifecycle'
import { words as maintenanceWords } from '@/api/words/Maintenance'
import { words as markStateWords } from '@/api/words/MarkState'
import { words as networkStatusWords } from '@/api/words/NetworkStatus'
import { words as occupancyWords } from '@/api/words/Occupancy'
import { words as powerWords } from '@/api/words/Power'
import { words as runStatusWords } from '@/api/words/RunStatus'
import { words as sourceWords } from '@/api/words/Source'
import { defineChoices, withStates } from '@/kit/choices'

/** 运行状态 */
export const runStatus = withStates(defineChoices(runStatusWords))

/** 网络状态 */
export const networkStatus = defineChoices(networkStatusWords, { online: 'good', degraded: 'warn', offline: 'bad' })

/** The lifecycle of a card. */
export const lifecycle = defineChoices(lifecycleWords, {
  expected: 'muted',
  discovered: 'info',
  registered: 'good',
  faulty: 'bad',
  retired: 'muted',
})

/** Its maintenance state. */
export const maintenance = defineChoices(maintenanceWords, { none: 'good', draining: 'busy', inMaintenance: 'warn' })

/** Power, as the BMC says. */
export const power = defineChoices(powerWords, { on: 'good', off: 'muted', unknown: 'muted' })

/** What a BMC did when it was asked the last time. */
export const bmcState = defineChoices(bmcStateWords, {
  neverAsked: 'muted',
  reachable: 'good',
  refused: 'bad',
  unreachable: 'bad',
  failing: 'warn',
})

/** What a card is doing for a phone. */
export const occupancy = defineChoices(occupancyWords, {
  free: 'good',
  reserved: 'info',
  restoring: 'busy',
  inUse: 'info',
  backingUp: 'busy',
  wiping: 'busy',
  sealed: 'muted',
})

/** How what a card says about whose it is stands to the books. */
export const markState = defineChoices(markStateWords, {
  unknown: 'muted',
  none: 'muted',
  clean: 'good',
  ours: 'good',
  left: 'warn',
  foreign: 'bad',
  missing: 'bad',
  unreadable: 'warn',
  damaged: 'bad',
})

/** A layer of connectivity. */
export const fact = defineChoices(factWords, { yes: 'good', no: 'bad', unknown: 'muted' })

/** The subject of an event in a card's timeline. */
export const axis = defineChoices(axisWords)

/** Who changed a card. */
export const source = defineChoices(sourceWords)

/** How the records and a room differ. */
export const findingKind = defineChoices(findingKindWords, {
  new: 'info',
  missing: 'bad',
  moved: 'warn',
  duplicateAddress: 'bad',
  wrongModel: 'warn',
  ghost: 'warn',
})

/** The carrier of a line. */
export const carrier = defineChoices(carrierWords)

import { lazy, Suspense, useState } from 'react'
import { useNavigate } from 'react-router'
import { useCan } from '@/access/permissions'
import type { DataOf, RowOf } from '@/api/call'
import type { Code } from '@/api/codes'
import { notifySuccess } from '@/api/notices'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { type Action, type ActionSpec, action, danger } from '@/kit/action'
import type { Selection } from '@/kit/list/selection'
import { formatDateTime } from '@/rules/format'
import { operationPath } from '../../device/links'
import { life, sagaKind, sagaState, useType } from '../choices'
import { actMessages } from './act-messages'

const Left = lazy(() => import('./left'))
const Fields = lazy(() => import('./act-fields'))

type Phone = Pick<RowOf<'phoneList'>, 'id' | 'life' | 'useType' | 'isBlank' | 'underWay'>
type Made = DataOf<'phoneRenew'>

const needs = {
  renew: 'phone:renew',
  changePlan: 'phone:changePlan',
  freeze: 'phone:freeze',
  thaw: 'phone:thaw',
  release: 'phone:release',
  restore: 'phone:restore',
  putOn: 'phone:putOn',
  takeOff: 'phone:takeOff',
  restart: 'phone:restart',
  backUp: 'backup:run',
  acceptCopy: 'phone:acceptCopy',
  acceptOlder: 'phone:acceptCopy',
  giveUp: 'phone:giveUp',
  openElsewhere: 'phone:openElsewhere',
  wipeLeft: 'phone:wipeLeft',
  goOn: 'phone:retry',
} as const satisfies Record<string, Code>

/** Something that can be done to phones. */
export type ActName = keyof typeof needs

const refresh = ['phoneSagas', 'phoneList', 'phoneGet', 'phoneCounts', 'operationLogList', 'operationList'] as const

/** What can be done with one phone and with many. `host` holds what the acts open; put it anywhere in the page. */
export function usePhoneActs() {
  const m = useMessages(actMessages)
  const can = useCan()
  const navigate = useNavigate()
  // What is accepted is another copy, by the same call.
  const acceptCopy = useApiMutation('phoneAcceptCopy', { refresh })
  const calls = {
    renew: useApiMutation('phoneRenew', { refresh }),
    changePlan: useApiMutation('phoneChangePlan', { refresh }),
    freeze: useApiMutation('phoneFreeze', { refresh }),
    thaw: useApiMutation('phoneThaw', { refresh }),
    release: useApiMutation('phoneRelease', { refresh }),
    restore: useApiMutation('phoneRestore', { refresh }),
    putOn: useApiMutation('phonePutOn', { refresh }),
    takeOff: useApiMutation('phoneTakeOff', { refresh }),
    restart: useApiMutation('phoneRestart', { refresh }),
    backUp: useApiMutation('phoneBackUp', { refresh }),
    acceptCopy,
    acceptOlder: acceptCopy,
    giveUp: useApiMutation('phoneGiveUp', { refresh }),
    openElsewhere: useApiMutation('phoneOpenElsewhere', { refresh }),
    wipeLeft: useApiMutation('phoneWipeLeft', { refresh }),
    goOn: useApiMutation('phoneGoOn', { refresh }),
  }
  const [left, setLeft] = useState<Made>()

  /** Says that all is done, or which phones were left and why; what takes longer is watched on its own page. */
  const told = async (name: ActName, made: Made) => {
    // One phone is watched where it is.
    if (watched.has(name) && made.total === 1 && made.finishedAt == null) notifySuccess(m.queued)
    else if (made.finishedAt == null && can('operation:list')) await navigate(operationPath(made.id))
    else if (made.finishedAt == null) notifySuccess(m.begun)
    else if (made.succeeded < made.total) setLeft(made)
    else return made
    return undefined
  }
  const act = (
    name: ActName,
    selection: Selection,
    { blocked, confirm = m[`${name}Question`] }: Words = {},
    more: More = {},
  ) =>
    (dangers.has(name) ? danger : action)<Values>(m[name], {
      need: needs[name],
      blocked,
      confirm,
      ask: <Fields name={name} selection={selection} />,
      ...(name === 'renew' && { values: { days: 30 } }),
      // The fields are those of the act.
      run: async (values) =>
        told(name, await calls[name].mutateAsync({ body: { selection, ...values, ...more } as never })),
    }) as Action

  const used: Words = { confirm: m.putOnUsedQuestion }

  /** Those that make sense for this phone now. */
  const of = (phone: Phone): Action[] => {
    const selection = { ids: [phone.id] }
    const { active, frozen, expired, released, erased } = life.value
    const blocked = phone.useType === useType.value.on ? m.onMachine : undefined
    const when = (...names: ActName[]) =>
      names.map((name) => act(name, selection, offOnly.has(name) ? { blocked } : {}))
    const off = phone.useType === useType.value.off && !phone.underWay
    const on = phone.useType === useType.value.on && !phone.underWay
    const putOn = off ? [act('putOn', selection, phone.isBlank ? {} : used)] : []
    // Until it lives by its copy it can stay where it is.
    const { kind, state } = phone.underWay ?? {}
    const leaves = kind === sagaKind.value.takeOff && (state === waiting || state === running || state === held)
    const stay = leaves ? [act('putOn', selection, { confirm: m.putOnBackQuestion })] : []
    // Whatever is on a card can leave it, also where nobody may use it any more.
    const takeOff = on ? when('takeOff') : []
    // Its card is lost: what it had there goes with it only where no copy is whole.
    const isLost = kind === sagaKind.value.lost && state === sagaState.value.held
    const code = phone.underWay?.code
    const lost = [
      ...(isLost && code !== noCopy ? when('acceptCopy') : []),
      ...(isLost && code !== withCopy ? when('giveUp') : []),
    ]
    // Its copy is damaged: it comes with an older one, or not.
    const offer = kind === sagaKind.value.putOn && state === held ? phone.underWay?.offer : undefined
    const older = offer ? [acceptOlder(offer)] : []
    // Whether its room is away is seen once the other one is chosen. Whoever waits for it, or decides about it, is in nobody's way.
    const waits = kind === sagaKind.value.putOn && state === waiting
    const isLeft = phone.life !== erased && (!phone.underWay || waits || isLost)
    return [...lost, ...older, ...ofLife(), ...(isLeft ? when('openElsewhere') : [])]

    /** It is accepted as the one that is shown: another one may be on offer by then. */
    function acceptOlder({ backupId, copyAt }: Offer): Action {
      const confirm = `${m.olderOf(formatDateTime(new Date(copyAt)))}${m.acceptOlderQuestion}`
      return act('acceptOlder', selection, { confirm }, { backupId })
    }

    function ofLife(): Action[] {
      if (phone.life === active)
        return [
          ...putOn,
          ...stay,
          ...(on ? when('restart', 'backUp') : []),
          ...takeOff,
          ...when('renew', 'changePlan', 'freeze', 'release'),
        ]
      if (phone.life === frozen) return [...takeOff, ...when('renew', 'changePlan', 'thaw', 'release')]
      if (phone.life === expired) return [...takeOff, ...when('renew', 'changePlan', 'release')]
      return phone.life === released ? [...takeOff, ...when('restore')] : []
    }
  }
  /** Those that make sense for many; `areHeld` if they all wait for a person. */
  const ofMany = (selection: Selection, areHeld = false): Action[] =>
    // Some of many were used.
    (areHeld ? toLost : toMany).map((name) => act(name, selection, name === 'putOn' ? used : {}))
  const host = left && (
    <Suspense>
      <Left made={left} onClose={() => setLeft(undefined)} />
    </Suspense>
  )
  /** What a phone has left on cards in quarantine is wiped without a copy. */
  const wipeLeft = (id: number) => act('wipeLeft', { ids: [id] })
  return { of, ofMany, wipeLeft, host }
}

const { waiting, running, held } = sagaState.value

/** What is done to many, in the order of the bar. */
const toMany = [
  'putOn',
  'restart',
  'backUp',
  'takeOff',
  'renew',
  'changePlan',
  'freeze',
  'thaw',
  'restore',
  'release',
  'openElsewhere',
] as const satisfies readonly ActName[]

/** What is done to those of which something waits: a take-off, what they have left on cards, or that their cards are lost. */
const toLost = ['goOn', 'acceptCopy', 'giveUp', 'openElsewhere', 'wipeLeft'] as const satisfies readonly ActName[]

/** Why a phone waits for a person: its card is lost, and it has a whole copy or none. */
const withCopy = 'card_lost'
const noCopy = 'card_lost_no_copy'

/** Acts that take something away. */
const dangers: ReadonlySet<ActName> = new Set([
  'release',
  'acceptCopy',
  'acceptOlder',
  'giveUp',
  'openElsewhere',
  'wipeLeft',
])

/** Acts that take a while, and are seen in the phone's own state. */
const watched: ReadonlySet<ActName> = new Set(['putOn', 'restart', 'backUp', 'takeOff', 'acceptCopy', 'acceptOlder'])

/** Acts that wait until a phone is off the machine. */
const offOnly: ReadonlySet<ActName> = new Set(['changePlan'])

/** What is said of an act where the usual words do not do. */
type Words = Pick<ActionSpec<Values>, 'blocked' | 'confirm'>

/** The copy with which a phone comes if somebody accepts that. */
type Offer = NonNullable<NonNullable<Phone['underWay']>['offer']>

/** What is sent besides what is filled in. */
interface More {
  backupId?: number
}

interface Values {
  days?: number
  plan?: number
  reason?: string
  answeredFor?: boolean
  roomId?: number
  now?: boolean
  acceptShrunk?: boolean
}

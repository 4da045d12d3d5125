import { useCan } from '@/access/permissions'
import type { DataOf } from '@/api/call'
import type { Code } from '@/api/codes'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { type Action, action } from '@/kit/action'
import { ReasonField } from '@/kit/form/reason-field'
import { sagaKind, sagaState } from '../choices'
import { actMessages } from './act-messages'
import { usePhoneActs } from './acts'
import { phoneMessages } from './phone-messages'

type Saga = DataOf<'phoneSagas'>[number]

/** Why a take-off is held whose phone has far less than its copy. */
const shrunk = 'shrunk'

/** What a person may decide about a saga that waits for one. `host` holds what the acts open; put it anywhere in the page. */
export function useSagaActs(phone: number) {
  const m = useMessages(phoneMessages)
  const { goOn: goOnLabel } = useMessages(actMessages)
  const can = useCan()
  const retry = useApiMutation('sagaRetry', { refresh: ['phoneSagas'] })
  const cancel = useApiMutation('sagaCancel', { refresh: ['phoneSagas', 'phoneGet'] })
  const stay = useApiMutation('sagaStay', { refresh: ['phoneSagas', 'phoneGet'] })
  const { wipeLeft, host } = usePhoneActs()

  /** What it may need is a right of its own besides. Where data goes by it somebody will want to know why. */
  const goOn = (id: number, confirm: string, { need = 'phone:retry', reason }: GoOn = {}): Action[] =>
    can('phone:retry')
      ? [
          action<{ reason?: string } | undefined>(goOnLabel, {
            need,
            confirm,
            ...(reason && { ask: <ReasonField optional={reason === 'optional'} /> }),
            run: (body) => retry.mutateAsync({ path: { id }, body: { reason: body?.reason ?? '' } }),
          }),
        ]
      : []

  const ofClearing = ({ id, isQuarantined }: Saga): Action[] =>
    isQuarantined
      ? // What may be in no copy is wiped as it is by the word of two.
        [...goOn(id, m.salvageQuestion), wipeLeft(phone)]
      : // Which profiles nobody has tried, and so need a reason, the server knows.
        goOn(id, m.goOnQuestion, { reason: 'optional' })

  const ofTakeOff = ({ id, code }: Saga): Action[] => [
    ...(code === shrunk
      ? goOn(id, m.shrunkQuestion, { need: 'phone:acceptCopy', reason: 'required' })
      : goOn(id, m.leaveAgainQuestion, { need: 'phone:takeOff' })),
    // The phone goes on where it is, for good.
    action(m.cancelTakeOff, {
      need: 'phone:takeOff',
      confirm: m.cancelTakeOffQuestion,
      run: () => stay.mutateAsync({ path: { id } }),
    }),
  ]

  /** That it comes with an older copy is decided at the phone: here, that it does not come. */
  const ofPutOn = ({ id }: Saga): Action[] => [
    action(m.cancelPutOn, {
      need: 'phone:acceptCopy',
      confirm: m.cancelPutOnQuestion,
      run: () => cancel.mutateAsync({ path: { id } }),
    }),
  ]

  const of = (saga: Saga): Action[] => {
    const { clear, takeOff, putOn } = sagaKind.value
    if (saga.state !== sagaState.value.held) return []
    if (saga.kind === clear) return ofClearing(saga)
    if (saga.kind === takeOff) return ofTakeOff(saga)
    return saga.kind === putOn ? ofPutOn(saga) : []
  }
  return { of, host }
}

/** What going on with a saga needs besides the right to go on, and whether it is asked why. */
interface GoOn {
  need?: Code
  reason?: 'optional' | 'required'
}

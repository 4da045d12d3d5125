import { lazy } from 'react'
import { useCan } from '@/access/permissions'
import type { RowOf } from '@/api/call'
import type { Code } from '@/api/codes'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { type Action, action, danger } from '@/kit/action'
import { operationState, taskEffect } from './choices'
import { messages } from './messages'

const RetryFields = lazy(() => import('./retry-fields'))

type Operation = Pick<RowOf<'operationList'>, 'id' | 'need' | 'state' | 'failed' | 'expired' | 'retryAsked'>

/** What can be done with an operation in its current state. */
export function useOperationControl() {
  const m = useMessages(messages)
  const can = useCan()
  const refresh = ['operationList', 'operationGet', 'operationTasks'] as const
  const pause = useApiMutation('operationPause', { refresh })
  const goOn = useApiMutation('operationGoOn', { refresh })
  const cancel = useApiMutation('operationCancel', { refresh })
  const retried = useApiMutation('operationRetry', { refresh })
  const decided = useApiMutation('operationApprove', { refresh })
  const { freezing, awaitingApproval, scheduled, running, paused, finished, expired: ranOut } = operationState.value

  /** Tries again what failed or expired: all of it, or what has one reason; what may have run only if that is wanted. */
  const retry = (id: number, label: string, code?: string) =>
    action<{ confirmed?: boolean } | undefined>(label, {
      need: 'operation:control',
      confirm: m.retryQuestion,
      ask: <RetryFields id={id} code={code} />,
      run: (values) => {
        const which = values?.confirmed ? { confirmed: true } : { effect: taskEffect.value.neverBegan }
        return retried.mutateAsync({
          path: { id },
          // The dialog says when it will wait for approval.
          body: { ...which, askApproval: true, ...(code === undefined ? {} : { code }) } as never,
        })
      },
    }) as Action

  const control = ({ id, need: beginning, state, failed, expired, retryAsked }: Operation): Action[] => {
    const path = { id }
    const need = 'operation:control'
    // Who lets an act go on or tries it again needs the right that beginning it needs.
    const mayAct = can(beginning as Code)
    const may = (...states: number[]) => states.includes(state)
    return [
      ...(may(awaitingApproval)
        ? [
            action(m.approve, {
              need: 'operation:approve',
              confirm: retryAsked ? m.approveRetryQuestion : m.approveQuestion,
              run: () => decided.mutateAsync({ path, body: { approved: true } }),
            }),
            danger(m.refuse, {
              need: 'operation:approve',
              confirm: retryAsked ? m.refuseRetryQuestion : m.refuseQuestion,
              run: () => decided.mutateAsync({ path, body: { approved: false } }),
            }),
          ]
        : []),
      ...(may(running)
        ? [action(m.pause, { need, confirm: m.pauseQuestion, run: () => pause.mutateAsync({ path }) })]
        : []),
      ...(may(paused) && mayAct ? [action(m.resume, { need, run: () => goOn.mutateAsync({ path }) })] : []),
      ...(failed + expired > 0 && mayAct && may(finished, ranOut, running, paused) ? [retry(id, m.retry)] : []),
      ...(may(freezing, awaitingApproval, scheduled, running, paused)
        ? [
            danger(retryAsked ? m.withdrawRetry : m.cancel, {
              need,
              confirm: retryAsked ? m.refuseRetryQuestion : m.cancelQuestion,
              run: () => cancel.mutateAsync({ path }),
            }),
          ]
        : []),
    ] as Action[]
  }
  return { control, retry }
}

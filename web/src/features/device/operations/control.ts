import type { RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { operationState } from './choices'
import { messages } from './messages'

type Operation = Pick<RowOf<'operationList'>, 'id' | 'state' | 'failed'>

/** What can be done with an operation as it stands. */
export function useOperationControl() {
  const m = useMessages(messages)
  const refresh = ['operationList', 'operationGet', 'operationTasks'] as const
  const pause = useApiMutation('operationPause', { refresh })
  const goOn = useApiMutation('operationGoOn', { refresh })
  const cancel = useApiMutation('operationCancel', { refresh })
  const retried = useApiMutation('operationRetry', { refresh })
  const decided = useApiMutation('operationApprove', { refresh })
  const { freezing, awaitingApproval, scheduled, running, paused, finished } = operationState.value

  /** Tries again what failed: all of it, or what failed for one reason. */
  const retry = (id: number, label: string, code?: string) =>
    action(label, {
      need: 'operation:control',
      confirm: m.retryQuestion,
      run: () => retried.mutateAsync({ path: { id }, body: code === undefined ? {} : { code } }),
    })

  const control = ({ id, state, failed }: Operation) => {
    const path = { id }
    const need = 'operation:control'
    const may = (...states: number[]) => states.includes(state)
    return [
      ...(may(awaitingApproval)
        ? [
            action(m.approve, {
              need: 'operation:approve',
              confirm: m.approveQuestion,
              run: () => decided.mutateAsync({ path, body: { approved: true } }),
            }),
            danger(m.refuse, {
              need: 'operation:approve',
              confirm: m.refuseQuestion,
              run: () => decided.mutateAsync({ path, body: { approved: false } }),
            }),
          ]
        : []),
      ...(may(running)
        ? [action(m.pause, { need, confirm: m.pauseQuestion, run: () => pause.mutateAsync({ path }) })]
        : []),
      ...(may(paused) ? [action(m.goOn, { need, run: () => goOn.mutateAsync({ path }) })] : []),
      ...(failed > 0 && may(finished, running, paused) ? [retry(id, m.retry)] : []),
      ...(may(freezing, awaitingApproval, scheduled, running, paused)
        ? [danger(m.cancel, { need, confirm: m.cancelQuestion, run: () => cancel.mutateAsync({ path }) })]
        : []),
    ]
  }
  return { control, retry }
}

import type { RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { ReasonField } from '@/kit/form/reason-field'
import type { Selection } from '@/kit/list/selection'
import { clientUserStatus } from '../choices'
import { messages } from './messages'

interface Reason {
  reason: string
}

/** Disable and enable, for one customer and for many: one call does both. */
export function useStatusActs() {
  const m = useMessages(messages)
  const { mutateAsync } = useApiMutation('clientUserSetStatus', { refresh: ['clientUserPage', 'clientUserGet'] })
  const { active, disabled, loggedOut } = clientUserStatus.value
  const setStatus = (selection: Selection, status: 1 | 2, reason: string) =>
    mutateAsync({ body: { selection: selection as never, status, reason } })

  const disable = (selection: Selection, blocked?: string) =>
    danger<Reason>(m.disable, {
      need: 'clientUser:disable',
      blocked,
      confirm: m.disableQuestion,
      ask: <ReasonField />,
      run: ({ reason }) => setStatus(selection, disabled, reason),
    })
  const enable = (selection: Selection) =>
    action<Reason>(m.enable, {
      need: 'clientUser:disable',
      confirm: m.enableQuestion,
      ask: <ReasonField />,
      run: ({ reason }) => setStatus(selection, active, reason),
    })
  /** The one that makes sense for this customer now. */
  const of = (user: Pick<RowOf<'clientUserPage'>, 'id' | 'status'>) => {
    const selection = { ids: [user.id] }
    if (user.status === disabled) return enable(selection)
    return disable(selection, user.status === loggedOut ? m.isClosed : undefined)
  }
  return { disable, enable, of }
}

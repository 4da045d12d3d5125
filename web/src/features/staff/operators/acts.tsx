import { lazy, Suspense } from 'react'
import { useSession } from '@/access/session'
import type { RowOf } from '@/api/call'
import { notifySuccess } from '@/api/notices'
import { encryptPassword } from '@/api/password'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { type Action, action, danger } from '@/kit/action'
import type { Selection } from '@/kit/list/selection'
import { messages } from './messages'

// Loaded with the dialog that they stand in, so that the list does not carry the form library.
const PasswordFields = lazy(() => import('./password-fields'))

const stale = ['operatorList', 'operatorGet', 'operatorSessionList'] as const

/** What may be done to an operator besides editing; the same acts stand in the list and in the detail. */
export function useOperatorActs() {
  const m = useMessages(messages)
  const uid = useSession((session) => session.uid)
  const enable = useApiMutation('operatorEnable', { refresh: stale })
  const disable = useApiMutation('operatorDisable', { refresh: stale })
  const reset = useApiMutation('operatorResetPassword', { refresh: stale })
  const signOut = useApiMutation('operatorSignOut', { refresh: stale })
  const resetSecondFactor = useApiMutation('secondFactorReset', { refresh: stale })
  const remove = useApiMutation('operatorDelete', { refresh: [...stale, 'groupListAll', 'groupList'] })

  const removeAct = (idList: number[]) =>
    danger(m.remove, {
      need: 'operator:delete',
      blocked: idList.some((id) => String(id) === uid) ? m.oneself : undefined,
      confirm: m.removeQuestion,
      run: () => remove.mutateAsync({ body: { idList } }),
    })

  const of = ({ id, enabled, secondFactor }: Pick<RowOf<'operatorList'>, 'id' | 'enabled' | 'secondFactor'>) => {
    const path = { id }
    const isMe = String(id) === uid
    const notMe = isMe ? m.oneself : undefined
    const acts: Action[] = [
      enabled
        ? danger(m.disable, {
            need: 'operator:update',
            blocked: notMe,
            confirm: m.disableQuestion,
            run: () => disable.mutateAsync({ path }),
          })
        : action(m.enable, {
            need: 'operator:update',
            confirm: m.enableQuestion,
            run: () => enable.mutateAsync({ path }),
          }),
      action<{ password: string }>(m.resetPassword, {
        need: 'operator:resetPassword',
        blocked: isMe ? m.ownPassword : undefined,
        confirm: m.resetPasswordQuestion,
        ask: (
          <Suspense>
            <PasswordFields />
          </Suspense>
        ),
        run: async ({ password }) => {
          // The same ciphertext stands for both fields, as in the change of one's own password.
          const encrypted = await encryptPassword(password)
          return reset.mutateAsync({ body: { id, password: encrypted, confirmPassword: encrypted } })
        },
      }) as Action,
      action(m.signOut, {
        need: 'operator:signOut',
        blocked: notMe,
        confirm: m.signOutQuestion,
        run: async () => {
          const { ended } = await signOut.mutateAsync({ path })
          notifySuccess(m.signedOut(ended))
        },
      }),
      action(m.resetSecondFactor, {
        need: 'operator:resetSecondFactor',
        blocked: isMe ? m.oneself : secondFactor ? undefined : m.noSecondFactor,
        confirm: m.resetSecondFactorQuestion,
        run: () => resetSecondFactor.mutateAsync({ path }),
      }),
      removeAct([id]),
    ]
    return acts
  }

  /** Deleting many: all of them or none. "All that match" is not offered, because names must be read before. */
  const onMany = (selection: Selection) => ('ids' in selection ? [removeAct(selection.ids.map(Number))] : [])

  return { of, onMany }
}

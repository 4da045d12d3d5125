import { lazy, Suspense } from 'react'
import { useSession } from '@/access/session'
import type { RowOf } from '@/api/call'
import { notifySuccess } from '@/api/notices'
import { encryptPassword } from '@/api/password'
import { useApiMutation, useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { type Action, action, danger } from '@/kit/action'
import { ReasonField } from '@/kit/form/reason-field'
import type { Selection } from '@/kit/list/selection'
import { messages } from './messages'

// Loaded with the dialog that they stand in, so that the list does not carry the form library.
const PasswordFields = lazy(() => import('./password-fields'))
const IdentityFields = lazy(() => import('./identity-fields'))

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
  const link = useApiMutation('openidAssign', { refresh: stale })
  const { data: providers = [] } = useApiQuery('openidProviderList', {}, { suppressNotice: true })
  const remove = useApiMutation('operatorDelete', { refresh: [...stale, 'groupListAll', 'groupList'] })

  const removeAct = (idList: number[]) =>
    danger(m.remove, {
      need: 'operator:delete',
      blocked: idList.some((id) => String(id) === uid) ? m.oneself : undefined,
      confirm: m.removeQuestion,
      run: () => remove.mutateAsync({ body: { idList } }),
    })

  type Known = Pick<RowOf<'operatorList'>, 'id' | 'username' | 'enabled' | 'secondFactor' | 'linkedProvider'>
  const of = ({ id, username, enabled, secondFactor, linkedProvider }: Known) => {
    const path = { id }
    const isMe = String(id) === uid
    const notMe = isMe ? m.oneself : undefined
    const acts: Action[] = [
      enabled
        ? (danger<{ reason: string }>(m.disable, {
            need: 'operator:update',
            blocked: notMe,
            confirm: m.disableQuestion,
            ask: <ReasonField />,
            run: ({ reason }) => disable.mutateAsync({ path, body: { reason } }),
          }) as Action)
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
            <PasswordFields username={username} />
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
      action<{ providerId: string; subject: string }>(m.linkIdentity, {
        need: 'operator:linkIdentity',
        blocked: isMe ? m.ownIdentity : providers.length === 0 ? m.noProviders : undefined,
        confirm: m.linkIdentityQuestion,
        ask: (
          <Suspense>
            <IdentityFields providers={providers} />
          </Suspense>
        ),
        run: (body) => link.mutateAsync({ path, body }),
      }) as Action,
      danger(m.unlinkIdentity, {
        need: 'operator:linkIdentity',
        blocked: isMe ? m.ownIdentity : linkedProvider ? undefined : m.noIdentity,
        confirm: m.unlinkIdentityQuestion,
        run: () => link.mutateAsync({ path, body: {} }),
      }),
      removeAct([id]),
    ]
    return acts
  }

  /** Deleting many: all of them or none. "All that match" is not offered, because names must be read before. */
  const onMany = (selection: Selection) => ('ids' in selection ? [removeAct(selection.ids.map(Number))] : [])

  return { of, onMany }
}

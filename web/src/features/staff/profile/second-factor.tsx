import { lazy, Suspense, useState } from 'react'
import { encryptPassword } from '@/api/password'
import { useApiMutation, useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { ActionButtons } from '@/kit/action-buttons'
import { ChoiceLabel } from '@/kit/choices'
import { Loaded } from '@/kit/loaded'
import { TimeText } from '@/kit/time-text'
import { useActions } from '@/kit/use-actions'
import { secondFactorState } from '../choices'
import { securityMessages } from './messages'
import { SecurityRow } from './security-row'

const EnrolDialog = lazy(() => import('./enrol-dialog'))
const CodesDialog = lazy(() => import('./codes-dialog'))
const ProofFields = lazy(() => import('./proof-fields'))

/** One's own two-step verification: turning it on and off, and the recovery codes for a lost phone. */
export function SecondFactor({ username }: { username: string }) {
  const m = useMessages(securityMessages)
  const query = useApiQuery('secondFactorGet', {}, { suppressNotice: true })
  const runner = useActions()
  const [isEnrolling, setEnrolling] = useState(false)
  const [codes, setCodes] = useState<readonly string[]>()
  const settings = { refresh: ['secondFactorGet', 'ownSessionList', 'ownActList'], suppressNotice: true } as const
  const disable = useApiMutation('secondFactorDisable', settings)
  const renew = useApiMutation('recoveryCodesRenew', settings)

  const acts = (enabled: boolean) =>
    enabled
      ? [
          action<{ code: string }>(m.renew, {
            confirm: m.renewQuestion,
            ask: <ProofFields />,
            run: async (body) => setCodes((await renew.mutateAsync({ body })).recoveryCodes),
          }),
          danger<{ password: string; code: string }>(m.disable, {
            confirm: m.disableQuestion,
            ask: <ProofFields withPassword />,
            run: async ({ password, code }) =>
              disable.mutateAsync({ body: { password: await encryptPassword(password), code } }),
          }),
        ]
      : [action(m.enable, { run: () => setEnrolling(true) })]

  return (
    <>
      <Loaded query={query}>
        {({ enabled, enabledAt, recoveryCodesLeft }) => (
          <SecurityRow
            title={m.secondFactor}
            state={<ChoiceLabel choices={secondFactorState} value={enabled} />}
            hint={
              enabled ? (
                <>
                  {m.since} <TimeText at={enabledAt} /> · {m.codesLeft(recoveryCodesLeft)}
                </>
              ) : (
                m.secondFactorHint
              )
            }
            acts={<ActionButtons acts={acts(enabled)} runner={runner} size="small" />}
          />
        )}
      </Loaded>
      {runner.host}
      <Suspense>
        {isEnrolling && <EnrolDialog username={username} onClose={() => setEnrolling(false)} />}
        {codes && <CodesDialog codes={codes} username={username} onClose={() => setCodes(undefined)} />}
      </Suspense>
    </>
  )
}

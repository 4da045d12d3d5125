import { lazy, Suspense, useState } from 'react'
import type { CallParts, DataOf, RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { ReasonField } from '@/kit/form/reason-field'
import type { Selection } from '@/kit/list/selection'
import { life, useType } from '../choices'
import { messages } from './messages'

const Left = lazy(() => import('./left'))
const DaysField = lazy(() => import('./act-fields').then(({ DaysField }) => ({ default: DaysField })))
const PlanField = lazy(() => import('./act-fields').then(({ PlanField }) => ({ default: PlanField })))

type Phone = Pick<RowOf<'phoneList'>, 'id' | 'life' | 'useType'>
type Result = DataOf<'phoneRenew'>
type Plan = CallParts<'phoneChangePlan'>['body']['plan']

const refresh = ['phoneList', 'phoneGet', 'phoneCounts', 'operationLogList'] as const

/** What can be done with one phone and with many. `host` holds what the acts open; put it anywhere in the page. */
export function usePhoneActs() {
  const m = useMessages(messages)
  const renewed = useApiMutation('phoneRenew', { refresh })
  const changed = useApiMutation('phoneChangePlan', { refresh })
  const frozen = useApiMutation('phoneFreeze', { refresh })
  const thawed = useApiMutation('phoneThaw', { refresh })
  const released = useApiMutation('phoneRelease', { refresh })
  const restored = useApiMutation('phoneRestore', { refresh })
  const [result, setResult] = useState<Result>()

  /** Says that all is done, or which phones were left and why. */
  const told = async (answer: Promise<Result>) => {
    const found = await answer
    if (found.left.length === 0) return found
    setResult(found)
    return undefined
  }
  const as = (selection: Selection) => selection as never

  const renew = (selection: Selection) =>
    action<{ days: number }>(m.renew, {
      need: 'phone:renew',
      confirm: m.renewQuestion,
      ask: <DaysField />,
      values: { days: 30 },
      run: ({ days }) => told(renewed.mutateAsync({ body: { selection: as(selection), days } })),
    })
  const changePlan = (selection: Selection, blocked?: string) =>
    action<{ plan: Plan }>(m.changePlan, {
      need: 'phone:changePlan',
      blocked,
      confirm: m.changePlanQuestion,
      ask: <PlanField />,
      run: ({ plan }) => told(changed.mutateAsync({ body: { selection: as(selection), plan } })),
    })
  const freeze = (selection: Selection, blocked?: string) =>
    action<{ reason: string }>(m.freeze, {
      need: 'phone:freeze',
      blocked,
      confirm: m.freezeQuestion,
      ask: <ReasonField />,
      run: ({ reason }) => told(frozen.mutateAsync({ body: { selection: as(selection), reason } })),
    })
  const withReason =
    (send: (body: CallParts<'phoneThaw'>['body']) => Promise<Result>) =>
    (selection: Selection) =>
    ({ reason }: { reason?: string }) =>
      told(send({ selection: as(selection), reason: reason ?? '' }))
  const thaw = (selection: Selection) =>
    action<{ reason?: string }>(m.thaw, {
      need: 'phone:thaw',
      confirm: m.thawQuestion,
      ask: <ReasonField optional />,
      run: withReason((body) => thawed.mutateAsync({ body }))(selection),
    })
  const release = (selection: Selection, blocked?: string) =>
    danger<{ reason?: string }>(m.release, {
      need: 'phone:release',
      blocked,
      confirm: m.releaseQuestion,
      ask: <ReasonField optional />,
      run: withReason((body) => released.mutateAsync({ body }))(selection),
    })
  const restore = (selection: Selection) =>
    action<{ reason?: string }>(m.restore, {
      need: 'phone:restore',
      confirm: m.restoreQuestion,
      ask: <ReasonField optional />,
      run: withReason((body) => restored.mutateAsync({ body }))(selection),
    })

  /** Those that make sense for this phone now. */
  const of = (phone: Phone) => {
    const selection = { ids: [phone.id] }
    const { active, frozen, expired, released } = life.value
    const blocked = phone.useType === useType.value.on ? m.onMachine : undefined
    if (phone.life === released) return [restore(selection)]
    const paid = [renew(selection), changePlan(selection, blocked)]
    if (phone.life === active) return [...paid, freeze(selection, blocked), release(selection, blocked)]
    if (phone.life === frozen) return [...paid, thaw(selection), release(selection, blocked)]
    return phone.life === expired ? [...paid, release(selection, blocked)] : []
  }
  const ofMany = (selection: Selection) => [
    renew(selection),
    changePlan(selection),
    freeze(selection),
    thaw(selection),
    restore(selection),
    release(selection),
  ]
  const host = result && (
    <Suspense>
      <Left result={result} onClose={() => setResult(undefined)} />
    </Suspense>
  )
  return { of, ofMany, host }
}

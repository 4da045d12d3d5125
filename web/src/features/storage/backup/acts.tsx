import { lazy, Suspense, useState } from 'react'
import type { CallParts, DataOf, RowOf } from '@/api/call'
import { notifySuccess } from '@/api/notices'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { type Action, action } from '@/kit/action'
import { phonesNew, phonesOn } from '../../cloudPhone/links'
import { backupState } from '../choices'
import { messages } from './messages'

type Backup = RowOf<'backupList'>
type Revealed = DataOf<'backupReveal'> & { phone: string }

const Opened = lazy(() => import('./opened'))
const PhoneFields = lazy(() => import('./phone-fields'))
const SetBackFields = lazy(() => import('./set-back-fields'))

/** What may be done with a copy. `host` holds what the acts open; put it anywhere in the page. */
export function useBackupActs() {
  const m = useMessages(messages)
  const again = useApiMutation('phoneBackUp', { refresh: ['backupList', 'phoneGet', 'operationList'] })
  const verify = useApiMutation('backupVerify', { refresh: ['backupList', 'backupGet', 'phoneSagas'] })
  const apps = useApiMutation('backupApps', { refresh: ['phoneSagas', 'phoneList', 'phoneGet', 'operationLogList'] })
  const restore = useApiMutation('backupRestore', {
    refresh: ['phoneSagas', 'phoneList', 'phoneGet', 'operationList', 'operationLogList'],
  })
  const setBack = useApiMutation('backupSetBack', {
    refresh: ['backupList', 'backupGet', 'phoneSagas', 'phoneList', 'phoneGet', 'operationList', 'operationLogList'],
  })
  const reveal = useApiMutation('backupReveal', { refresh: ['operationLogList'] })
  const [revealed, setRevealed] = useState<Revealed>()
  const { uploaded, verified } = backupState.value
  const blockedUnlessMade = (state: Backup['state']) =>
    state === uploaded || state === verified ? undefined : m.notMade

  /** A phone lives by a copy of one moment alone, which was read back and is whole. */
  const blockedUnlessWhole = ({ state, damage, isLive }: Pick<Backup, 'state' | 'damage' | 'isLive'>) => {
    if (isLive) return m.setBackLive
    if (damage) return m.damaged
    return state === verified ? undefined : m.notReadBack
  }

  const of = ({ id, phone, user, board, state, isVerifying, damage, isLive }: Backup): Action[] => [
    action(m.again, {
      need: 'backup:run',
      confirm: m.againQuestion,
      run: async () => {
        await again.mutateAsync({ body: { selection: { ids: [phone.id] } } })
        notifySuccess(m.queued)
      },
    }),
    action(m.verify, {
      need: 'backup:verify',
      blocked: isVerifying ? m.verifying : blockedUnlessMade(state),
      run: async () => {
        await verify.mutateAsync({ path: { id } })
        notifySuccess(m.verifyBegun)
      },
    }),
    action<CallParts<'backupApps'>['body']>(m.apps, {
      need: 'backup:apps',
      confirm: m.appsHint,
      blocked: blockedUnlessMade(state),
      ask: <PhoneFields phones={phonesOn(user.id)} />,
      run: async (body) => {
        await apps.mutateAsync({ path: { id }, body })
        notifySuccess(m.appsBegun)
      },
    }) as Action,
    action<CallParts<'backupSetBack'>['body']>(m.setBack, {
      need: 'backup:restore',
      confirm: m.setBackHint,
      blocked: blockedUnlessWhole({ state, damage, isLive }),
      ask: <SetBackFields />,
      run: async (body) => {
        await setBack.mutateAsync({ path: { id }, body })
        notifySuccess(m.setBackBegun)
      },
    }) as Action,
    action<CallParts<'backupRestore'>['body']>(m.restore, {
      need: 'backup:restore',
      confirm: m.restoreHint,
      blocked: blockedUnlessMade(state),
      ask: <PhoneFields phones={phonesNew(user.id, board)} />,
      run: async (body) => {
        await restore.mutateAsync({ path: { id }, body })
        notifySuccess(m.restoreBegun)
      },
    }) as Action,
    action(m.reveal, {
      need: 'backup:reveal',
      confirm: m.revealQuestion,
      blocked: blockedUnlessMade(state),
      run: async () => {
        const opened = await reveal.mutateAsync({ path: { id } })
        setRevealed({ ...opened, phone: phone.name ?? String(phone.id) })
      },
    }),
  ]
  const host = revealed && (
    <Suspense>
      <Opened of={revealed} onClose={() => setRevealed(undefined)} />
    </Suspense>
  )
  return { of, host }
}

import { lazy, Suspense, useState } from 'react'
import type { DataOf, RowOf } from '@/api/call'
import { notifySuccess } from '@/api/notices'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import { backupState } from '../choices'
import { messages } from './messages'

type Backup = RowOf<'backupList'>
type Revealed = DataOf<'backupReveal'> & { phone: string }

const Opened = lazy(() => import('./opened'))
const InstallApps = lazy(() => import('./apps'))

/** What may be done with a copy. `host` holds what the acts open; put it anywhere in the page. */
export function useBackupActs() {
  const m = useMessages(messages)
  const again = useApiMutation('phoneBackUp', { refresh: ['backupList', 'phoneGet', 'operationList'] })
  const verify = useApiMutation('backupVerify', { refresh: ['backupList', 'backupGet', 'phoneSagas'] })
  const reveal = useApiMutation('backupReveal', { refresh: ['operationLogList'] })
  const [revealed, setRevealed] = useState<Revealed>()
  const [installing, setInstalling] = useState<Backup>()
  const { uploaded, verified } = backupState.value
  const blockedUnlessMade = (state: Backup['state']) =>
    state === uploaded || state === verified ? undefined : m.notMade

  const of = (backup: Backup) => {
    const { id, phone, state, isVerifying } = backup
    return [
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
      action(m.apps, {
        need: 'backup:apps',
        blocked: blockedUnlessMade(state),
        run: () => setInstalling(backup),
      }),
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
  }
  const host = (
    <Suspense>
      {revealed && <Opened of={revealed} onClose={() => setRevealed(undefined)} />}
      {installing && <InstallApps of={installing} onClose={() => setInstalling(undefined)} />}
    </Suspense>
  )
  return { of, host }
}

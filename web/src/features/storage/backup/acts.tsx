import { useState } from 'react'
import type { DataOf, RowOf } from '@/api/call'
import { notifySuccess } from '@/api/notices'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import { CopyButton } from '@/kit/copy-button'
import { Button } from '@/ui/button'
import { Modal } from '@/ui/modal'
import { backupState } from '../choices'
import { messages } from './messages'

type Backup = RowOf<'backupList'>
type Revealed = DataOf<'backupReveal'> & { phone: string }

/** What may be done with a copy. `host` holds what the acts open; put it anywhere in the page. */
export function useBackupActs() {
  const m = useMessages(messages)
  const again = useApiMutation('phoneBackUp', { refresh: ['backupList', 'phoneGet', 'operationList'] })
  const reveal = useApiMutation('backupReveal', { refresh: ['operationLogList'] })
  const [revealed, setRevealed] = useState<Revealed>()
  const { uploaded, verified } = backupState.value

  const of = ({ id, phone, state }: Backup) => [
    action(m.again, {
      need: 'backup:run',
      confirm: m.againQuestion,
      run: async () => {
        await again.mutateAsync({ body: { selection: { ids: [phone.id] } } })
        notifySuccess(m.queued)
      },
    }),
    action(m.reveal, {
      need: 'backup:reveal',
      confirm: m.revealQuestion,
      blocked: state === uploaded || state === verified ? undefined : m.notMade,
      run: async () => {
        const opened = await reveal.mutateAsync({ path: { id } })
        setRevealed({ ...opened, phone: phone.name ?? String(phone.id) })
      },
    }),
  ]
  const host = revealed && <Opened of={revealed} onClose={() => setRevealed(undefined)} />
  return { of, host }
}

function Opened({ of, onClose }: { of: Revealed; onClose: () => void }) {
  const m = useMessages(messages)
  return (
    <Modal
      open
      centered
      width={640}
      title={m.revealTitle(of.phone)}
      footer={
        <Button type="primary" onClick={onClose}>
          {m.close}
        </Button>
      }
      onCancel={onClose}
    >
      <p>{m.revealHint}</p>
      <Line label={m.code} text={of.code} />
      <Line label={m.command} text={of.command} />
    </Modal>
  )
}

function Line({ label, text }: { label: string; text: string }) {
  return (
    <div className="backup-line">
      <span className="sky-soft">{label}</span>
      <code className="sky-mono">{text}</code>
      <CopyButton text={text} />
    </div>
  )
}

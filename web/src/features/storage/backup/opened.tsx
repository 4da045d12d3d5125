import './backup.css'
import type { DataOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { CopyButton } from '@/kit/copy-button'
import { Button } from '@/ui/button'
import { Modal } from '@/ui/modal'
import { messages } from './messages'

type Revealed = DataOf<'backupReveal'> & { phone: string }

/** How people open the repository of a phone without this product. */
export default function Opened({ of, onClose }: { of: Revealed; onClose: () => void }) {
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

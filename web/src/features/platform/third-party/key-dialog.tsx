import { useMessages } from '@/i18n/messages'
import { CopyButton } from '@/kit/copy-button'
import { Button } from '@/ui/button'
import { Callout } from '@/ui/callout'
import { Modal } from '@/ui/modal'
import { keyMessages } from './messages'

interface KeyDialogProps {
  made: { code: string; secret: string }
  /** A new key, unless told. */
  title?: string
  onClose: () => void
}

/** Shows a new key, or what stands for one, with its secret, this once. */
export function KeyDialog({ made, title, onClose }: KeyDialogProps) {
  const m = useMessages(keyMessages)
  return (
    <Modal
      open
      title={title ?? m.title}
      closable={false}
      mask={{ closable: false }}
      footer={
        <Button type="primary" onClick={onClose}>
          {m.close}
        </Button>
      }
    >
      <Callout tone="warn" title={m.once} />
      <Part label={m.fields.code} text={made.code} />
      <Part label={m.fields.secret} text={made.secret} />
    </Modal>
  )
}

function Part({ label, text }: { label: string; text: string }) {
  return (
    <>
      <p className="sky-soft">{label}</p>
      <p className="sky-mono" style={{ overflowWrap: 'anywhere' }}>
        {text}
      </p>
      <p>
        <CopyButton text={text} />
      </p>
    </>
  )
}

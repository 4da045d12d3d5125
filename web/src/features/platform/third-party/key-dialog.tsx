import { useMessages } from '@/i18n/messages'
import { CopyButton } from '@/kit/copy-button'
import { Button } from '@/ui/button'
import { Callout } from '@/ui/callout'
import { Modal } from '@/ui/modal'
import type { MadeKey } from './acts'
import { keyMessages } from './messages'

/** Shows a new key with its secret, this once. */
export function KeyDialog({ made, onClose }: { made: MadeKey; onClose: () => void }) {
  const m = useMessages(keyMessages)
  return (
    <Modal
      open
      title={m.title}
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

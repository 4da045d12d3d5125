import type { DataOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { grouped } from '@/rules/format'
import { Button } from '@/ui/button'
import { Modal } from '@/ui/modal'
import { messages } from './messages'

/** After an act on phones: how many were changed, and why others were left as they are. */
export default function Left({ result, onClose }: { result: DataOf<'phoneRenew'>; onClose: () => void }) {
  const m = useMessages(messages)
  const left = result.left.reduce((sum, { count }) => sum + count, 0)
  return (
    <Modal
      open
      centered
      width={480}
      title={m.resultTitle}
      footer={
        <Button type="primary" onClick={onClose}>
          {m.close}
        </Button>
      }
      onCancel={onClose}
    >
      <p>{m.result(grouped(result.changed), grouped(left))}</p>
      <ul className="phone-left">
        {result.left.map(({ code, message, count, examples }) => (
          <li key={`${code} ${message}`}>
            <strong>{grouped(count)}</strong> {message}
            <div className="sky-soft sky-mono">
              {examples.join(' ')}
              {count > examples.length && ' …'}
            </div>
          </li>
        ))}
      </ul>
    </Modal>
  )
}

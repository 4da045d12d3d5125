import { Link } from 'react-router'
import { useCan } from '@/access/permissions'
import type { DataOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { LeftOut } from '@/kit/preflight/left-out'
import { grouped } from '@/rules/format'
import { Button } from '@/ui/button'
import { Modal } from '@/ui/modal'
import { operationPath } from '../../device/links'
import { messages } from './messages'

/** After an act on phones: how many were changed, and why others were left as they are. */
export default function Left({ made, onClose }: { made: DataOf<'phoneRenew'>; onClose: () => void }) {
  const m = useMessages(messages)
  const can = useCan()
  const { id, total, succeeded, reasons } = made
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
      <p>{m.result(grouped(succeeded), grouped(total - succeeded))}</p>
      <LeftOut groups={reasons} />
      {can('operation:list') && (
        <p>
          <Link className="sky-link" to={operationPath(id)}>
            {m.toOperation}
          </Link>
        </p>
      )}
    </Modal>
  )
}

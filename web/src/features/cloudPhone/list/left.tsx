import { Link } from 'react-router'
import { useCan } from '@/access/permissions'
import type { DataOf } from '@/api/call'
import { defineMessages, useMessages } from '@/i18n/messages'
import { LeftOut } from '@/kit/preflight/left-out'
import { grouped } from '@/rules/format'
import { Button } from '@/ui/button'
import { Modal } from '@/ui/modal'
import { operationPath } from '../../device/links'

const messages = defineMessages({
  title: ['部分云手机未更改', 'Some phones were not changed'],
  result: (changed: string, left: string) => [
    `已更改 ${changed} 台，${left} 台保持不变`,
    `Changed: ${changed}. Left as they are: ${left}`,
  ],
  close: ['关闭', 'Close'],
  toOperation: ['查看这次操作', 'See this operation'],
})

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
      title={m.title}
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

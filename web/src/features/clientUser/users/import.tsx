import { useMessages } from '@/i18n/messages'
import { ImportDrawer } from '@/kit/upload/import-drawer'
import { messages } from './messages'

const columns = ['name', 'phone', 'email', 'identCode', 'remark']

/** Imports customers from a spreadsheet. */
export default function ClientUserImport({ onClose }: { onClose: () => void }) {
  const m = useMessages(messages)
  return (
    <ImportDrawer
      title={m.importTitle}
      messages={messages}
      calls="clientUserImport"
      columns={columns}
      onClose={onClose}
    />
  )
}

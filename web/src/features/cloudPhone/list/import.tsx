import { useMessages } from '@/i18n/messages'
import { ImportDrawer } from '@/kit/upload/import-drawer'
import { messages } from './messages'

const columns = ['userNumber', 'plan', 'room', 'diskGb', 'days', 'name', 'remark']

/** Makes phones out of a spreadsheet. */
export default function PhoneImport({ onClose }: { onClose: () => void }) {
  const m = useMessages(messages)
  return (
    <ImportDrawer title={m.importTitle} messages={messages} calls="phoneImport" columns={columns} onClose={onClose} />
  )
}

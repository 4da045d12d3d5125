import { useMessages } from '@/i18n/messages'
import { ImportDrawer } from '@/kit/upload/import-drawer'
import { hostMessages } from './messages'

const columns = ['room', 'frame', 'slot', 'name', 'bladeAddress', 'positions', 'remark']

/** Imports hosts from a spreadsheet; frames that are not there yet come with them. */
export default function HostImport({ onClose }: { onClose: () => void }) {
  const m = useMessages(hostMessages)
  return (
    <ImportDrawer
      title={m.importTitle}
      messages={hostMessages}
      calls="hostImport"
      columns={columns}
      onClose={onClose}
    />
  )
}

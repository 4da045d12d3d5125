import { words as phoneWords } from '@/api/words/PhoneView'
import { defineMessages, useMessages } from '@/i18n/messages'
import { ImportDrawer } from '@/kit/upload/import-drawer'

const messages = defineMessages({
  title: ['导入云手机', 'Import cloud phones'],
  fields: {
    ...phoneWords,
    days: ['有效天数', 'Valid for days'],
    userNumber: ['用户手机号或识别码', 'User phone or identification code'],
  },
})

const columns = ['userNumber', 'plan', 'room', 'diskGb', 'days', 'name', 'pool', 'remark']

/** Makes phones out of a spreadsheet. */
export default function PhoneImport({ onClose }: { onClose: () => void }) {
  const m = useMessages(messages)
  return <ImportDrawer title={m.title} messages={messages} calls="phoneImport" columns={columns} onClose={onClose} />
}

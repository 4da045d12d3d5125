import { screens } from '@/api/catalogue'
import { defineMessages } from '@/i18n/messages'
import { DetailPath } from '@/kit/list/detail-link'
import { defineFilter } from '@/kit/list/filter'
import { ListTable } from '@/kit/list/list-table'
import { useInnerList } from '@/kit/list/use-list'
import { useActions } from '@/kit/use-actions'
import { backupPath } from '../links'
import { useBackupActs } from './acts'
import { began, bytes, id, kept, state, took, verified } from './columns'
import { useLiveBackups } from './live'
import { messages as listMessages } from './messages'

const messages = defineMessages({
  ...listMessages.tree,
  title: screens.storageBackup.title,
  emptyHint: [
    '云手机在机时，点击页面上方的“立即备份”',
    'While the phone is on the machine, press Back up now at the top of the page',
  ],
})
const filter = defineFilter({})
const columns = [id, state, kept, began, bytes, took, verified]

/** The copies of one phone, and what may be done with each. */
export default function BackupsOfPhone({ phoneId }: { phoneId: number }) {
  const list = useInnerList('backupList', filter, { phoneId })
  const acts = useBackupActs()
  const runner = useActions()
  useLiveBackups()
  return (
    <div className="kit-inner">
      <DetailPath value={backupPath}>
        <ListTable messages={messages} list={list} columns={columns} rowActions={acts.of} runner={runner} />
      </DetailPath>
      {acts.host}
      {runner.host}
    </div>
  )
}

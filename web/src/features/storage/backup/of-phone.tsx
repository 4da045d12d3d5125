import { screens } from '@/api/catalogue'
import { defineMessages } from '@/i18n/messages'
import { DetailPath } from '@/kit/list/detail-link'
import { defineFilter } from '@/kit/list/filter'
import { ListTable } from '@/kit/list/list-table'
import { useInnerList } from '@/kit/list/use-list'
import { backupPath } from '../links'
import { began, bytes, id, kept, state, took, verified } from './columns'
import { useLiveBackups } from './live'
import { messages as listMessages } from './messages'

const messages = defineMessages({ ...listMessages.tree, title: screens.storageBackup.title })
const filter = defineFilter({})
const columns = [id, state, kept, began, bytes, took, verified]

/** The copies of one phone. */
export default function BackupsOfPhone({ phoneId }: { phoneId: number }) {
  const list = useInnerList('backupList', filter, { phoneId })
  useLiveBackups()
  return (
    <div className="kit-inner">
      <DetailPath value={backupPath}>
        <ListTable messages={messages} list={list} columns={columns} />
      </DetailPath>
    </div>
  )
}

import { useCan } from '@/access/permissions'
import type { RowOf } from '@/api/call'
import { defineMessages } from '@/i18n/messages'
import { DeviceText } from '@/kit/device-text'
import { columnsOf } from '@/kit/list/columns'
import { ExportButton } from '@/kit/list/export-button'
import { defineFilter } from '@/kit/list/filter'
import { ListTable } from '@/kit/list/list-table'
import { useInnerList } from '@/kit/list/use-list'
import { freeText } from '@/ui/data-table'
import { clientType, loginMethod, recordKind } from '../choices'
import { messages as recordMessages } from '../records/messages'
import { messages as userMessages } from './messages'

const messages = defineMessages({ ...recordMessages.tree, title: userMessages.tree.records })
const filter = defineFilter({})
const c = columnsOf<RowOf<'clientUserLoginRecords'>>()

const columns = [
  c.time('at'),
  c.choice('kind', recordKind),
  c.code('ip'),
  c.custom('deviceName', ({ deviceName }) => <DeviceText name={deviceName} />, freeText),
  c.choice('clientType', clientType),
  c.choice('loginMethod', loginMethod),
]

/** When and from where one customer signed in. */
export function SignIns({ userId }: { userId: number }) {
  const can = useCan()
  const list = useInnerList('clientUserLoginRecords', filter, { id: userId })
  return (
    <div className="kit-inner">
      {can('clientUserRecord:export') && (
        <div className="kit-tools">
          <ExportButton operation="clientUserRecordExport" filter={{ userId }} />
        </div>
      )}
      <ListTable messages={messages} list={list} columns={columns} />
    </div>
  )
}

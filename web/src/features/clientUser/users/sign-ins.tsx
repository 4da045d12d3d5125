import type { RowOf } from '@/api/call'
import { defineMessages } from '@/i18n/messages'
import { DeviceText } from '@/kit/device-text'
import { columnsOf } from '@/kit/list/columns'
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
  const list = useInnerList('clientUserLoginRecords', filter, { id: userId })
  return (
    <div className="kit-inner">
      <ListTable
        messages={messages}
        list={list}
        columns={columns}
        exports={{ operation: 'clientUserRecordExport', need: 'clientUserRecord:export', filter: { userId } }}
      />
    </div>
  )
}

import type { RowOf } from '@/api/call'
import { sorts } from '@/api/words/SignInView'
import { DeviceText } from '@/kit/device-text'
import { columnsOf } from '@/kit/list/columns'
import { defineFilter } from '@/kit/list/filter'
import { ListTable } from '@/kit/list/list-table'
import { useInnerList } from '@/kit/list/use-list'
import { freeText } from '@/ui/data-table'
import { signInMethod, signInOutcome } from '../choices'
import { messages } from './messages'

const filter = defineFilter({}, sorts)
const c = columnsOf<RowOf<'signInList'>>()

const columns = [
  c.time('at'),
  c.choice('outcome', signInOutcome),
  c.choice('method', signInMethod),
  c.code('ip'),
  c.custom('device', ({ device }) => <DeviceText name={device} />, freeText),
]

/** When and from where an operator signed in, and who tried to in his name. */
export function SignIns({ userId }: { userId: number }) {
  const list = useInnerList('signInList', filter, { userId })
  return (
    <div className="kit-inner">
      <ListTable
        messages={messages}
        list={list}
        columns={columns}
        exports={{ operation: 'signInExport', need: 'operator:export', filter: { userId } }}
      />
    </div>
  )
}

import type { RowOf } from '@/api/call'
import { columnsOf } from '@/kit/list/columns'
import { defineFilter } from '@/kit/list/filter'
import { ListTable } from '@/kit/list/list-table'
import { useInnerList } from '@/kit/list/use-list'
import { callColumns } from './call-columns'
import { callMessages } from './messages'

const filter = defineFilter({})
const c = columnsOf<RowOf<'openCallList'>>()
const columns = [c.time('at'), ...callColumns]

/** What one application called. */
export function CallsOfApp({ appId }: { appId: number }) {
  const list = useInnerList('openCallList', filter, { appId })
  return (
    <div className="kit-inner">
      <ListTable messages={callMessages} list={list} columns={columns} />
    </div>
  )
}

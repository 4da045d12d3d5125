import type { RowOf } from '@/api/call'
import { columnsOf } from '@/kit/list/columns'
import { defineFilter } from '@/kit/list/filter'
import { ListTable } from '@/kit/list/list-table'
import { useInnerList } from '@/kit/list/use-list'
import { deliveryMessages } from '../messages'
import { deliveryColumns } from './columns'

const filter = defineFilter({})
const c = columnsOf<RowOf<'openDeliveryList'>>()
const columns = [c.time('createdAt'), ...deliveryColumns, c.number('status')]

/** What one application was told. */
export function DeliveriesOfApp({ appId }: { appId: number }) {
  const list = useInnerList('openDeliveryList', filter, { appId })
  return (
    <div className="kit-inner">
      <ListTable messages={deliveryMessages} list={list} columns={columns} />
    </div>
  )
}

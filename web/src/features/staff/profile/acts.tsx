import type { RowOf } from '@/api/call'
import { columnsOf } from '@/kit/list/columns'
import { defineFilter } from '@/kit/list/filter'
import { ListTable } from '@/kit/list/list-table'
import { useInnerList } from '@/kit/list/use-list'
import { actMessages } from './messages'

const filter = defineFilter({})
const c = columnsOf<RowOf<'ownActList'>>()

const columns = [
  c.time('at'),
  c.text('actionName', { width: 220 }),
  c.text('objectKindName', { width: 120 }),
  c.text('objectName', { width: 200 }),
  c.code('ip', { width: 130 }),
  c.code('status', { width: 80 }),
]

/** What the person has done in the console. */
export function OwnActs() {
  const list = useInnerList('ownActList', filter, {})
  return (
    <div className="kit-inner">
      <ListTable messages={actMessages} list={list} columns={columns} />
    </div>
  )
}

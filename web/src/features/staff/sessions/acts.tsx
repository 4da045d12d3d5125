import type { RowOf } from '@/api/call'
import { Outcome } from '@/kit/detail/history'
import { columnsOf } from '@/kit/list/columns'
import { defineFilter } from '@/kit/list/filter'
import { ListTable } from '@/kit/list/list-table'
import { useInnerList } from '@/kit/list/use-list'
import { actMessages } from './messages'

const filter = defineFilter({})
const c = columnsOf<RowOf<'ownActList'>>()

const columns = [
  c.time('at'),
  c.text('actionName'),
  c.text('objectKindName'),
  c.text('objectName'),
  c.code('ip'),
  c.text('reason'),
  c.custom('statusName', (line) => <Outcome {...line} />),
]

/** What the person has done in the console. */
export function OwnActs() {
  return <Acts list={useInnerList('ownActList', filter, {})} />
}

/** What an operator has done; for those who may read the operation log. */
export function OperatorActs({ operatorId }: { operatorId: number }) {
  return <Acts list={useInnerList('operationLogList', filter, { operatorId })} />
}

function Acts({ list }: { list: ReturnType<typeof useInnerList<'ownActList', typeof filter.params>> }) {
  return (
    <div className="kit-inner">
      <ListTable messages={actMessages} list={list} columns={columns} />
    </div>
  )
}

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
export function OwnActs({ operatorId }: { operatorId: number }) {
  return <Acts list={useInnerList('ownActList', filter, {})} operatorId={operatorId} />
}

/** What an operator has done; for those who may read the operation log. */
export function OperatorActs({ operatorId }: { operatorId: number }) {
  return <Acts list={useInnerList('operationLogList', filter, { operatorId })} operatorId={operatorId} />
}

interface ActsProps {
  list: ReturnType<typeof useInnerList<'ownActList', typeof filter.params>>
  operatorId: number
}

function Acts({ list, operatorId }: ActsProps) {
  return (
    <div className="kit-inner">
      <ListTable
        messages={actMessages}
        list={list}
        columns={columns}
        exports={{ operation: 'operationLogExport', need: 'operationLog:export', filter: { operatorId } }}
      />
    </div>
  )
}

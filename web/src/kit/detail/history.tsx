import type { RowOf } from '@/api/call'
import { words } from '@/api/words/OperationLogView'
import { defineMessages } from '@/i18n/messages'
import { freeText } from '@/ui/data-table'
import { StatusTag } from '@/ui/status-tag'
import { columnsOf } from '../list/columns'
import { defineFilter } from '../list/filter'
import { ListTable } from '../list/list-table'
import { useInnerList } from '../list/use-list'

/** A thing as the operation log names it. */
export interface Logged {
  /** The kind of object in the log, such as `clientUser`. */
  kind: string
  id: number | string
}

/** The right without which a detail shows no history: the server refuses the log to others. */
export const HISTORY_NEED = 'operationLog:list'

export const historyMessages = defineMessages({
  title: ['变更记录', 'Change history'],
  empty: ['还没有变更记录', 'No changes yet'],
  emptyHint: ['操作员对它的每次更改会出现在这里', 'Every change that an operator makes to it appears here'],
  fields: words,
})

const filter = defineFilter({})
const c = columnsOf<RowOf<'operationLogList'>>()

const columns = [c.time('at'), c.text('operatorName'), c.text('actionName'), c.custom('message', whyOf, freeText)]

/** How an act ended: in green when it was done, in red when it was refused. */
export function Outcome({ status, statusName }: { status: number; statusName: string }) {
  return <StatusTag tone={status === 0 ? 'good' : 'bad'}>{statusName}</StatusTag>
}

/** Why it was done, and what else there is to say: also that it was refused, which is rare. */
function whyOf({ reason, message, status, statusName }: RowOf<'operationLogList'>) {
  const words = [reason, message === reason ? '' : message].filter(Boolean).join(' · ')
  const told = <span title={words}>{words}</span>
  if (status === 0) return told
  return (
    <>
      <Outcome status={status} statusName={statusName} /> {told}
    </>
  )
}

/** Who changed one thing, when and why, newest first. */
export function History({ of: { kind, id } }: { of: Logged }) {
  const list = useInnerList('operationLogList', filter, { objectKind: kind, objectId: String(id) })
  return (
    <div className="kit-inner">
      <ListTable messages={historyMessages} list={list} columns={columns} />
    </div>
  )
}

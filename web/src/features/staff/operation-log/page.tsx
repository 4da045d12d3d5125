import { lazy, Suspense } from 'react'
import type { RowOf } from '@/api/call'
import { notifyError, notifySuccess } from '@/api/notices'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import { columnsOf } from '@/kit/list/columns'
import { defineFilter, idParam, textParam, timeParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter, TimeRangeFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { grouped } from '@/rules/format'
import { useLogChoices } from './log-choices'
import { messages } from './messages'

const Detail = lazy(() => import('./detail'))

type Line = RowOf<'operationLogList'>

const filter = defineFilter({
  keyWord: textParam(),
  operatorId: idParam(),
  action: textParam(),
  objectKind: textParam(),
  objectId: textParam(),
  startTime: timeParam(),
  endTime: timeParam(),
})

const c = columnsOf<Line>()

const columns = [
  c.time('at', { pin: 'start' }),
  c.detail('actionName', { width: 200 }),
  c.text('operatorName', { width: 140 }),
  c.text('objectKindName', { width: 130 }),
  c.text('objectName', { width: 200 }),
  c.code('objectId', { width: 110 }),
  c.code('ip', { width: 150 }),
  c.code('status', { width: 90 }),
  c.text('message', { width: 220 }),
  c.code('requestId', { width: 280, spare: true }),
]

/** What operators did: who, when, from where, to what, with what result. Lines can not be changed. */
export default function OperationLogPage() {
  const m = useMessages(messages)
  const list = useList('operationLogList', filter)
  const { actions, objectKinds, operators } = useLogChoices()
  const verify = useApiMutation('operationLogVerify')

  /** Walks the hash chain on the server and says whether every line is as it was written. */
  async function checkChain() {
    const { ok, lines, anchors, brokenAt, fault } = await verify.mutateAsync({})
    if (ok) notifySuccess(m.chainIsWhole(grouped(lines), grouped(anchors)))
    else notifyError(m.chainIsBroken(String(brokenAt ?? ''), fault ?? ''))
  }

  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      nameOf={(line) => line.actionName}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={m.search} width={230} />
          {operators && <ChoiceFilter name="operatorId" choices={operators} />}
          <ChoiceFilter name="action" choices={actions} width={150} />
          <ChoiceFilter name="objectKind" choices={objectKinds} />
          <TextFilter name="objectId" placeholder={m.objectId} width={120} />
          <TimeRangeFilter name="at" />
        </>
      }
      pageActions={[action(m.checkChain, { need: 'operationLog:list', run: checkChain })]}
      exports={{ operation: 'operationLogExport', need: 'operationLog:export' }}
      detail={(id, close) => (
        <Suspense>
          <Detail id={Number(id)} onClose={close} />
        </Suspense>
      )}
    />
  )
}

import { useCan } from '@/access/permissions'
import type { RowOf } from '@/api/call'
import { notifyError, notifySuccess } from '@/api/notices'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import { Outcome } from '@/kit/detail/history'
import { lazyDetail } from '@/kit/detail/lazy-detail'
import { columnsOf } from '@/kit/list/columns'
import { defineFilter, idParam, textParam, timeParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter, TimeRangeFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { ReferenceFilter } from '@/kit/reference/reference-filter'
import { grouped } from '@/rules/format'
import { operators } from '../people'
import { useLogChoices } from './log-choices'
import { messages } from './messages'

const Detail = lazyDetail('operationLogGet', () => import('./detail'))

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

/** What has no name is known by its number, as an operation is. */
const nameOf = ({ objectName, objectId }: Line) => objectName || (objectId && `#${objectId}`)

const columns = [
  c.time('at', { pin: 'start' }),
  c.detail('actionName'),
  c.text('operatorName', { importance: 4 }),
  c.text('objectKindName', { importance: 2 }),
  c.words('objectName', nameOf, { importance: 3 }),
  c.code('objectId', { spare: true }),
  c.code('ip'),
  c.custom('statusName', (line) => <Outcome {...line} />, { importance: 3 }),
  c.text('reason', { importance: 4 }),
  c.words('message', ({ message, reason }) => (message === reason ? '' : message), { importance: 1 }),
  c.code('requestId', { spare: true }),
]

/** What operators did: who, when, from where, to what, with what result. Lines cannot be changed. */
export default function OperationLogPage() {
  const m = useMessages(messages)
  const list = useList('operationLogList', filter)
  const { actions, objectKinds } = useLogChoices()
  const mayListOperators = useCan()(operators.need)
  const verify = useApiMutation('operationLogVerify')

  /** Verifies the hash chain on the server. */
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
          {mayListOperators && <ReferenceFilter name="operatorId" source={operators} width={150} />}
          <ChoiceFilter name="action" choices={actions} width={150} />
          <ChoiceFilter name="objectKind" choices={objectKinds} />
          <TextFilter name="objectId" placeholder={m.fields.objectId} width={120} />
          <TimeRangeFilter name="at" />
        </>
      }
      pageActions={[action(m.checkChain, { need: 'operationLog:list', run: checkChain })]}
      exports={{ operation: 'operationLogExport', need: 'operationLog:export' }}
      detail={(id, close) => <Detail id={Number(id)} onClose={close} />}
    />
  )
}

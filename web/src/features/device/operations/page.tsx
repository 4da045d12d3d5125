import '../device.css'
import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import type { RowOf } from '@/api/call'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { choiceText } from '@/kit/choices'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter, textParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { operationKind, operationState } from './choices'
import { useOperationControl } from './control'
import { useLiveOperations } from './live'
import { messages } from './messages'
import { OperationProgress } from './progress'

const Detail = lazy(() => import('./detail'))

type Operation = RowOf<'operationList'>

const filter = defineFilter(
  {
    state: choiceParam(operationState),
    kind: choiceParam(operationKind),
    createdBy: textParam(64),
  },
  ['id', 'kind', 'state', 'createdBy', 'createdAt', 'finishedAt'],
)

const c = columnsOf<Operation>()

const columns = [
  c.detail('id', { width: 80 }),
  c.choice('kind', operationKind, { width: 120 }),
  c.text('detail', { width: 200 }),
  c.choice('state', operationState, { width: 110 }),
  c.custom('progress', (operation) => <OperationProgress of={operation} name={String(operation.id)} />, { width: 230 }),
  c.number('succeeded', { width: 90 }),
  c.number('failed', { width: 80 }),
  c.number('skipped', { width: 90 }),
  c.text('why', { width: 170 }),
  c.text('createdBy', { width: 110 }),
  c.time('createdAt'),
  c.time('startedAt', { spare: true }),
  c.time('finishedAt'),
  c.text('reason', { spare: true }),
  c.number('usersHit', { spare: true }),
  c.text('approvedBy', { spare: true }),
  c.time('notBefore', { spare: true }),
  c.time('expiresAt', { spare: true }),
]

/** What is done at many cards at once: how far it is, what came of it; pause, go on, call off, try again, approve. */
export default function OperationsPage() {
  const m = useMessages(messages)
  const language = useLanguage()
  const list = useList('operationList', filter)
  const client = useQueryClient()
  const { control } = useOperationControl()
  useLiveOperations(client, ['operationList'])
  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      exports={{ operation: 'operationListExport', need: 'operation:export' }}
      nameOf={({ id, kind }) => `${choiceText(operationKind, kind, language)} #${id}`}
      filters={
        <>
          <ChoiceFilter name="state" choices={operationState} />
          <ChoiceFilter name="kind" choices={operationKind} />
          <TextFilter name="createdBy" placeholder={m.fields.createdBy} />
        </>
      }
      actionsWidth={170}
      rowActions={control}
      detail={(id, close) => (
        <Suspense>
          <Detail key={id} id={Number(id)} onClose={close} />
        </Suspense>
      )}
    />
  )
}

import '../device.css'
import { useLocation } from 'react-router'
import type { RowOf } from '@/api/call'
import { sorts } from '@/api/words/OperationView'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { choiceText } from '@/kit/choices'
import { lazyDetail } from '@/kit/detail/lazy-detail'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter, textParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { operationPath } from '../links'
import { operationKind, operationState, operationTarget } from './choices'
import { useOperationControl } from './control'
import { useLiveOperations } from './live'
import { messages } from './messages'
import { OperationProgress } from './progress'
import { OperationState } from './state'

const OperationPage = lazyDetail('operationGet', () => import('./operation-page'))

type Operation = RowOf<'operationList'>

const filter = defineFilter(
  {
    state: choiceParam(operationState),
    kind: choiceParam(operationKind),
    createdBy: textParam(64),
  },
  sorts,
)

const c = columnsOf<Operation>()

const columns = [
  c.detail('id', { isCode: true }),
  c.choice('kind', operationKind, { importance: 3 }),
  c.choice('target', operationTarget, { importance: 1 }),
  c.text('detail', { importance: 1 }),
  c.custom('state', (operation) => <OperationState of={operation} />, { importance: 4 }),
  c.custom('progress', (operation) => <OperationProgress of={operation} name={String(operation.id)} />, {
    importance: 4,
  }),
  c.number('succeeded', { importance: 1 }),
  c.number('failed', { importance: 3 }),
  c.number('skipped'),
  c.text('reason', { importance: 2 }),
  c.text('why'),
  c.text('createdBy', { importance: 2 }),
  c.time('createdAt', { importance: 3 }),
  c.time('startedAt', { spare: true }),
  c.time('finishedAt'),
  c.number('usersHit', { spare: true }),
  c.text('approvedBy', { spare: true }),
  c.time('notBefore', { spare: true }),
  c.time('expiresAt', { spare: true }),
]

/** All operations, or the page of one: its id is the last part of the address. */
export default function OperationsPage() {
  const { pathname } = useLocation()
  const id = /\/(\d+)$/.exec(pathname)?.[1]
  return id === undefined ? <Operations /> : <OperationPage key={id} id={Number(id)} />
}

/** Operations on many cards or phones at once: progress and results; pause, resume, cancel, retry, approve. */
function Operations() {
  const m = useMessages(messages)
  const language = useLanguage()
  const list = useList('operationList', filter)
  const { control } = useOperationControl()
  useLiveOperations(['operationList'])
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
      start={{ to: '/device/management', label: m.toCards, need: 'device:list' }}
      rowActions={control}
      detailPath={operationPath}
    />
  )
}

import { lazy, Suspense, useState } from 'react'
import type { RowOf } from '@/api/call'
import { sorts } from '@/api/words/StoreNodeView'
import { useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import { yesNo } from '@/kit/choices'
import { lazyDetail } from '@/kit/detail/lazy-detail'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter, textParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { freeText } from '@/ui/data-table'
import { backupStrategy, storeDriver, storeState } from '../choices'
import { useNodeActs } from './acts'
import { AgentNames, DaysToFull, NodeState, Used } from './figures'
import { useLiveNodes } from './live'
import { messages } from './messages'

const Detail = lazyDetail('storeNodeGet', () => import('./detail'))
const Form = lazy(() => import('./form'))
const Speed = lazy(() => import('./speed-drawer'))

type Node = RowOf<'storeNodeList'>

const filter = defineFilter(
  {
    keyWord: textParam(),
    state: choiceParam(storeState),
    driver: choiceParam(storeDriver),
    city: textParam(40),
    strategy: choiceParam(backupStrategy),
    snapshots: choiceParam(yesNo),
  },
  sorts,
)

const c = columnsOf<Node>()

const columns = [
  c.detail('name'),
  c.custom('state', (node) => <NodeState of={node} />, { importance: 4 }),
  c.custom('usedBytes', (node) => <Used of={node} />, { importance: 4 }),
  c.custom('daysToFull', (node) => <DaysToFull of={node} />, { align: 'end', importance: 3 }),
  c.text('city', { importance: 2 }),
  c.choice('driver', storeDriver, { importance: 2 }),
  c.code('place', { importance: 2 }),
  c.custom('agents', ({ agents }) => <AgentNames of={agents} />, { ...freeText, importance: 1 }),
  c.bytes('capacityBytes', { importance: 1 }),
  c.bytes('freeBytes', { spare: true }),
  c.number('partitions', { importance: 1 }),
  c.choice('strategy', backupStrategy, { importance: 1 }),
  c.number('cycle', { importance: 1 }),
  c.flag('snapshots', { spare: true }),
  c.number('downloadMbit', { spare: true }),
  c.number('uploadMbit', { spare: true }),
  c.time('checkedAt', { importance: 1 }),
  c.time('createdAt', { spare: true }),
  c.time('updatedAt', { spare: true }),
]

/** Storage nodes: where the copies of phones lie, whether they are reached, and how full they are. */
export default function StorageManagementPage() {
  const m = useMessages(messages)
  const list = useList('storeNodeList', filter)
  const [editing, setEditing] = useState<{ node?: Node }>()
  const [isSpeed, setSpeed] = useState(false)
  const acts = useNodeActs({ onEdit: (node) => setEditing({ node }) })
  useLiveNodes()
  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      exports={{ operation: 'storeNodeExport', need: 'storage:export' }}
      nameOf={(node) => node.name}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={m.search} />
          <ChoiceFilter name="state" choices={storeState} />
          <ChoiceFilter name="driver" choices={storeDriver} />
          <TextFilter name="city" />
          <ChoiceFilter name="strategy" choices={backupStrategy} />
          <ChoiceFilter name="snapshots" choices={yesNo} />
        </>
      }
      pageActions={[
        action(m.create, { need: 'storage:create', run: () => setEditing({}) }),
        action(m.speed, { need: 'storage:get', run: () => setSpeed(true) }),
      ]}
      rowActions={acts}
      detail={(id, close) => <Detail id={Number(id)} acts={acts} onClose={close} />}
    >
      <Suspense>
        {editing && <Form {...editing} onClose={() => setEditing(undefined)} />}
        {isSpeed && <Speed onClose={() => setSpeed(false)} />}
      </Suspense>
    </ListPage>
  )
}

import '../device.css'
import { lazy, Suspense, useState } from 'react'
import type { RowOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter, idParam, textParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { grouped } from '@/rules/format'
import { lifecycle, maintenance, networkStatus, occupancy, power, runStatus, yesNo } from '../choices'
import { useLiveCards } from '../live'
import { useOperationActs } from '../operations/acts'
import { useFrames, useHosts, useRooms } from '../places'
import { useCardActs } from './acts'
import { messages } from './messages'
import { useChanged } from './use-changed'

const Detail = lazy(() => import('./detail'))
const Form = lazy(() => import('./form'))
const Range = lazy(() => import('./range'))
const Import = lazy(() => import('./import'))

type Card = RowOf<'cardList'>

const filter = defineFilter(
  {
    keyWord: textParam(),
    roomId: idParam(),
    frameId: idParam(),
    hostId: idParam(),
    runStatus: choiceParam(runStatus),
    networkStatus: choiceParam(networkStatus),
    lifecycle: choiceParam(lifecycle),
    maintenance: choiceParam(maintenance),
    board: textParam(32),
    assignable: choiceParam(yesNo),
    overcommit: choiceParam(yesNo),
    overdue: choiceParam(yesNo),
  },
  ['id', 'intranetIp', 'runSince', 'serial'],
)

const c = columnsOf<Card>()

const columns = [
  c.detail('intranetIp', { width: 135 }),
  c.code('adbPort', { width: 85 }),
  c.choice('runStatus', runStatus, { width: 115 }),
  c.choice('networkStatus', networkStatus, { width: 115 }),
  c.text('roomName', { width: 150 }),
  c.text('frameName', { width: 80 }),
  c.text('hostName', { width: 110 }),
  c.number('position', { width: 85 }),
  c.code('serial', { width: 150 }),
  c.text('manufacturer', { width: 110 }),
  c.text('model', { width: 110 }),
  c.text('board', { width: 105 }),
  c.flag('isAssignable', { width: 100 }),
  c.flag('isOvercommit', { width: 110 }),
  c.time('runSince'),
  c.code('extranetIp', { spare: true }),
  c.code('extranetPort', { spare: true }),
  c.choice('lifecycle', lifecycle, { spare: true }),
  c.choice('power', power, { spare: true }),
  c.choice('occupancy', occupancy, { spare: true }),
  c.text('size', { spare: true }),
  c.text('chassisLocation', { spare: true }),
  c.number('slot', { spare: true }),
  c.code('bladeAddress', { spare: true }),
  c.text('faultReason', { spare: true }),
  c.text('remark', { spare: true }),
  c.time('networkSince', { spare: true }),
  c.time('createdAt', { spare: true }),
]

/** Every Android card: where it is, how it is, and what can be done with it. */
export default function DeviceManagementPage() {
  const m = useMessages(messages)
  const list = useList('cardList', filter)
  const rooms = useRooms()
  const frames = useFrames(list.filter.roomId)
  const hosts = useHosts({ frameId: list.filter.frameId })
  const acts = useCardActs()
  const operate = useOperationActs()
  const [editing, setEditing] = useState<Card | 'new'>()
  const [open, setOpen] = useState<'range' | 'import'>()
  const { sort: _sort, order: _order, ...question } = list.request
  const counts = useApiQuery('cardCounts', { query: question as never }, { keepPrevious: true })
  useLiveCards(['cardCounts'])
  const changed = useChanged(list, counts)

  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      nameOf={(card) => `${card.intranetIp}:${card.adbPort}`}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={m.search} />
          <ChoiceFilter name="roomId" choices={rooms.choices} width={170} />
          <ChoiceFilter name="frameId" choices={frames.choices} />
          <ChoiceFilter name="hostId" choices={hosts.choices} />
          <ChoiceFilter name="runStatus" choices={runStatus} />
          <ChoiceFilter name="networkStatus" choices={networkStatus} />
          <ChoiceFilter name="lifecycle" choices={lifecycle} />
          <ChoiceFilter name="maintenance" choices={maintenance} />
          <ChoiceFilter name="assignable" choices={yesNo} />
          <ChoiceFilter name="overcommit" choices={yesNo} />
        </>
      }
      pageActions={[
        action(m.range, { need: 'device:create', run: () => setOpen('range') }),
        action(m.create, { need: 'device:create', run: () => setEditing('new') }),
        action(m.import, { need: 'device:import', run: () => setOpen('import') }),
      ]}
      actionsWidth={190}
      rowActions={(card) => [
        action(m.edit, { need: 'device:update', run: () => setEditing(card) }),
        acts.shell(card),
        ...operate({ ids: [card.id] }, 'one'),
        ...acts.of({ ids: [card.id] }, card.maintenance.state),
        acts.move(card),
        acts.retire({ ids: [card.id] }),
      ]}
      bulkActions={({ selection }) => [...operate(selection), acts.retire(selection)]}
      exports={{ operation: 'cardExport', need: 'device:export' }}
      detail={(id, close) => (
        <Suspense>
          <Detail id={Number(id)} onEdit={setEditing} onClose={close} />
        </Suspense>
      )}
    >
      <div className="device-summary" role="status">
        {counts.data && counts.data.overdue > 0 && (
          <button
            type="button"
            className="sky-link"
            onClick={() => list.setFilter({ overdue: list.filter.overdue ? undefined : true })}
          >
            {m.overdue(grouped(counts.data.overdue))}
          </button>
        )}
        {changed !== undefined && (
          <button type="button" className="sky-link" onClick={list.reload}>
            {m.changed(grouped(changed))}
          </button>
        )}
      </div>
      <Suspense>
        {editing && <Form {...(editing !== 'new' && { card: editing })} onClose={() => setEditing(undefined)} />}
        {open === 'range' && <Range onClose={() => setOpen(undefined)} />}
        {open === 'import' && <Import onClose={() => setOpen(undefined)} />}
      </Suspense>
      {acts.host}
    </ListPage>
  )
}

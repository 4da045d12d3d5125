import '../device.css'
import { lazy, Suspense, useState } from 'react'
import type { RowOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { sorts } from '@/api/words/CardView'
import { useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import { yesNo } from '@/kit/choices'
import { lazyDetail } from '@/kit/detail/lazy-detail'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter, idParam, textParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { ReferenceFilter } from '@/kit/reference/reference-filter'
import { grouped } from '@/rules/format'
import { phonePath } from '../../cloudPhone/links'
import { imagePath, images } from '../../storage/links'
import { lifecycle, maintenance, markState, networkStatus, occupancy, power, runStatus } from '../choices'
import { framePath, roomPath } from '../links'
import { useLiveCards } from '../live'
import { useLikelyActs } from '../operations/use-likely-acts'
import { framesOf, hostsOf, rooms } from '../places'
import { useCardActs } from './acts'
import { messages } from './messages'
import { useChanged } from './use-changed'

const Detail = lazyDetail('cardGet', () => import('./detail'))
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
    imageId: idParam(),
    assignable: choiceParam(yesNo),
    overcommit: choiceParam(yesNo),
    overdue: choiceParam(yesNo),
  },
  sorts,
)

const c = columnsOf<Card>()

const columns = [
  c.detail('intranetIp', { isCode: true }),
  c.code('adbPort'),
  // Address and the two states have room beside a detail.
  c.choice('runStatus', runStatus, { importance: 4 }),
  c.choice('networkStatus', networkStatus, { importance: 4 }),
  c.reference('room', roomPath, { importance: 2 }),
  c.reference('frame', framePath, { importance: 3 }),
  c.reference('host', undefined, { importance: 3 }),
  c.number('position', { importance: 2 }),
  c.code('serial', { importance: 1 }),
  c.text('manufacturer'),
  c.text('model'),
  c.code('board'),
  c.reference('image', imagePath, { isCode: true }),
  c.flag('isAssignable'),
  c.flag('isOvercommit'),
  c.time('runSince', { importance: 1 }),
  c.code('extranetIp', { spare: true }),
  c.code('extranetPort', { spare: true }),
  c.choice('lifecycle', lifecycle, { spare: true }),
  c.choice('power', power, { spare: true }),
  c.choice('occupancy', occupancy, { spare: true }),
  c.choice('markState', markState, { spare: true }),
  c.reference('phone', phonePath, { isCode: true, importance: 1 }),
  c.text('size', { spare: true }),
  c.text('chassisLocation', { spare: true }),
  c.number('slot', { spare: true }),
  c.code('bladeAddress', { spare: true }),
  c.text('faultReason', { spare: true }),
  c.text('remark', { spare: true }),
  c.time('networkSince', { spare: true }),
  c.time('createdAt', { spare: true }),
  c.time('updatedAt', { spare: true }),
]

/** Every Android card: where it is, how it is, and what can be done with it. */
export default function DeviceManagementPage() {
  const m = useMessages(messages)
  const list = useList('cardList', filter)
  const { roomId, frameId } = list.filter
  const acts = useCardActs()
  const operate = useLikelyActs()
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
          <ReferenceFilter name="roomId" source={rooms} clears={['frameId', 'hostId']} />
          <ReferenceFilter
            name="frameId"
            source={framesOf(roomId)}
            width={120}
            waits={roomId === undefined}
            clears={['hostId']}
          />
          <ChoiceFilter name="runStatus" choices={runStatus} />
          <ChoiceFilter name="networkStatus" choices={networkStatus} />
          <ReferenceFilter
            name="hostId"
            source={hostsOf({ roomId, frameId })}
            width={150}
            waits={roomId === undefined && frameId === undefined}
          />
          <ReferenceFilter name="imageId" source={images} width={150} />
          <ChoiceFilter name="lifecycle" choices={lifecycle} />
          <ChoiceFilter name="maintenance" choices={maintenance} />
          <ChoiceFilter name="assignable" choices={yesNo} />
          <ChoiceFilter name="overcommit" choices={yesNo} />
        </>
      }
      countsViews
      pageActions={[
        action(m.range, { need: 'device:create', run: () => setOpen('range') }),
        action(m.create, { need: 'device:create', run: () => setEditing('new') }),
        action(m.import, { need: 'device:import', run: () => setOpen('import') }),
      ]}
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
      remark={
        <span className="device-summary" role="status">
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
        </span>
      }
      isDetailBeside
      detail={(id, close) => <Detail id={Number(id)} onEdit={setEditing} onClose={close} />}
    >
      <Suspense>
        {editing && <Form {...(editing !== 'new' && { card: editing })} onClose={() => setEditing(undefined)} />}
        {open === 'range' && <Range onClose={() => setOpen(undefined)} />}
        {open === 'import' && <Import onClose={() => setOpen(undefined)} />}
      </Suspense>
      {acts.host}
    </ListPage>
  )
}

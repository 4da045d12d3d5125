import { lazy, Suspense, useState } from 'react'
import type { RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { ChoiceLabel } from '@/kit/choices'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter, idParam, textParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { maintenance } from '../choices'
import { PlaceCounts } from '../counts'
import { useLiveCards } from '../live'
import { useMaintenanceActs } from '../maintenance'
import { useRooms } from '../places'
import { frameMessages, pageMessages } from './messages'

const Form = lazy(() => import('./frame-form'))

type Frame = RowOf<'frameList'>

const filter = defineFilter({ keyWord: textParam(), roomId: idParam(), maintenance: choiceParam(maintenance) }, [
  'name',
  'location',
  'slots',
  'updatedAt',
])
const c = columnsOf<Frame>()

/** The frames of the rooms. */
export default function Frames() {
  const m = useMessages(frameMessages)
  const p = useMessages(pageMessages)
  const list = useList('frameList', filter)
  const rooms = useRooms()
  const refresh = ['frameList', 'fleetTree'] as const
  const remove = useApiMutation('frameDelete', { refresh })
  const maintain = useApiMutation('frameMaintain', { refresh: [...refresh, 'hostList', 'cardList'] })
  const acts = useMaintenanceActs()
  const [editing, setEditing] = useState<Frame | 'new'>()
  useLiveCards(['frameList'])
  const columns = [
    c.text('name', { width: 120, pin: 'start' }),
    c.custom('roomId', (frame) => rooms.name(frame.roomId), { width: 190 }),
    c.text('location', { width: 130 }),
    c.number('slots', { width: 80 }),
    c.custom('counts', ({ id, counts }) => <PlaceCounts counts={counts} where={{ frameId: id }} />, { width: 340 }),
    c.custom('maintenance', (frame) => <ChoiceLabel choices={maintenance} value={frame.maintenance.state} />),
    c.text('remark', { spare: true }),
    c.time('updatedAt', { spare: true }),
  ]
  return (
    <ListPage
      messages={frameMessages}
      list={list}
      columns={columns}
      exports={{ operation: 'frameExport', need: 'room:export' }}
      nameOf={(frame) => frame.name}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={p.searchFrame} />
          <ChoiceFilter name="roomId" choices={rooms.choices} width={180} />
          <ChoiceFilter name="maintenance" choices={maintenance} />
        </>
      }
      pageActions={[action(m.create, { need: 'room:create', run: () => setEditing('new') })]}
      rowActions={(frame) => [
        action(p.edit, { need: 'room:update', run: () => setEditing(frame) }),
        ...acts(
          'room:maintain',
          (body) => maintain.mutateAsync({ path: { id: frame.id }, body }),
          frame.maintenance.state,
        ),
        danger(p.remove, {
          need: 'room:delete',
          confirm: p.removeQuestion,
          run: () => remove.mutateAsync({ path: { id: frame.id } }),
        }),
      ]}
    >
      <Suspense>
        {editing && (
          <Form rooms={rooms} {...(editing !== 'new' && { frame: editing })} onClose={() => setEditing(undefined)} />
        )}
      </Suspense>
    </ListPage>
  )
}

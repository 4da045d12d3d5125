import { lazy, Suspense, useState } from 'react'
import type { RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { sorts } from '@/api/words/FrameView'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { ChoiceLabel } from '@/kit/choices'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter, idParam, textParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { ReferenceFilter } from '@/kit/reference/reference-filter'
import { maintenance } from '../choices'
import { PlaceCounts } from '../counts'
import { roomPath } from '../links'
import { useLiveCards } from '../live'
import { usePlaceActs } from '../place-acts'
import { rooms } from '../places'
import { frameMessages, pageMessages } from './messages'

const Form = lazy(() => import('./frame-form'))
const Rack = lazy(() => import('./rack-form'))

type Frame = RowOf<'frameList'>

const filter = defineFilter({ keyWord: textParam(), roomId: idParam(), maintenance: choiceParam(maintenance) }, sorts)
const c = columnsOf<Frame>()

const columns = [
  c.text('name', { pin: 'start' }),
  c.reference('room', roomPath, { importance: 3 }),
  c.text('location', { importance: 1 }),
  c.number('slots'),
  c.custom('counts.total', ({ id, counts }) => <PlaceCounts counts={counts} where={{ frameId: id }} />, {
    importance: 4,
  }),
  c.custom('maintenance', (frame) => <ChoiceLabel choices={maintenance} value={frame.maintenance.state} />, {
    importance: 2,
  }),
  c.text('remark', { spare: true }),
  c.time('updatedAt', { spare: true }),
]

/** The frames of the rooms. */
export default function Frames() {
  const m = useMessages(frameMessages)
  const p = useMessages(pageMessages)
  const list = useList('frameList', filter)
  const refresh = ['frameList', 'fleetTree'] as const
  const remove = useApiMutation('frameDelete', { refresh })
  const acts = usePlaceActs()
  const [editing, setEditing] = useState<Frame | 'new' | 'rack'>()
  useLiveCards(['frameList'])
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
          <ReferenceFilter name="roomId" source={rooms} width={180} />
          <ChoiceFilter name="maintenance" choices={maintenance} />
        </>
      }
      pageActions={[
        action(m.rack, { need: 'room:create', run: () => setEditing('rack') }),
        action(m.create, { need: 'room:create', run: () => setEditing('new') }),
      ]}
      rowActions={(frame) => {
        const { operations, maintenance, panel } = acts({ ...frame, kind: 'frame' })
        return [
          panel,
          action(p.edit, { need: 'room:update', run: () => setEditing(frame) }),
          ...operations,
          ...maintenance,
          danger(p.remove, {
            need: 'room:delete',
            confirm: p.removeQuestion,
            run: () => remove.mutateAsync({ path: { id: frame.id } }),
          }),
        ]
      }}
    >
      <Suspense>
        {editing === 'rack' && <Rack onClose={() => setEditing(undefined)} />}
        {editing && editing !== 'rack' && (
          <Form {...(editing !== 'new' && { frame: editing })} onClose={() => setEditing(undefined)} />
        )}
      </Suspense>
    </ListPage>
  )
}

import { lazy, Suspense, useState } from 'react'
import type { RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { sorts } from '@/api/words/RoomView'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { ChoiceLabel, choiceText } from '@/kit/choices'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter, textParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { freeText } from '@/ui/data-table'
import { carrier, maintenance } from '../choices'
import { PlaceCounts } from '../counts'
import { useLiveCards } from '../live'
import { useMaintenanceActs } from '../maintenance'
import { pageMessages, roomMessages } from './messages'

const Form = lazy(() => import('./room-form'))

type Room = RowOf<'roomList'>

const filter = defineFilter({ keyWord: textParam(), maintenance: choiceParam(maintenance) }, sorts)
const c = columnsOf<Room>()

const columns = [
  c.text('name', { pin: 'start' }),
  c.text('city'),
  c.custom('counts.total', ({ id, counts }) => <PlaceCounts counts={counts} where={{ roomId: id }} />, {
    importance: 3,
  }),
  c.custom('maintenance', (room) => <ChoiceLabel choices={maintenance} value={room.maintenance.state} />, {
    importance: 2,
  }),
  c.custom('lines', ({ lines }) => <Lines of={lines} />, { ...freeText, importance: 1 }),
  c.words('managementNets', ({ managementNets }) => managementNets.join(' '), { isCode: true, spare: true }),
  c.text('timeZone', { spare: true }),
  c.number('downloadMbit', { spare: true }),
  c.number('uploadMbit', { spare: true }),
  c.text('remark', { spare: true }),
  c.time('updatedAt', { spare: true }),
]

/** The lines of a room, in one line; what does not fit is told to the pointer. */
function Lines({ of }: { of: Room['lines'] }) {
  const language = useLanguage()
  const text = of.map(({ carrier: who, name, mbit }) => `${choiceText(carrier, who, language)} ${name} ${mbit} Mbit/s`)
  return <span title={text.join('\n')}>{text.join(language === 'zh' ? '，' : ', ')}</span>
}

/** The rooms. */
export function Rooms() {
  const m = useMessages(roomMessages)
  const p = useMessages(pageMessages)
  const list = useList('roomList', filter)
  const refresh = ['roomList', 'fleetTree', 'fleetMap'] as const
  const remove = useApiMutation('roomDelete', { refresh })
  const maintain = useApiMutation('roomMaintain', { refresh: [...refresh, 'frameList', 'hostList', 'cardList'] })
  const acts = useMaintenanceActs()
  const [editing, setEditing] = useState<Room | 'new'>()
  useLiveCards(['roomList'])
  return (
    <ListPage
      messages={roomMessages}
      list={list}
      columns={columns}
      exports={{ operation: 'roomExport', need: 'room:export' }}
      nameOf={(room) => room.name}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={p.searchRoom} />
          <ChoiceFilter name="maintenance" choices={maintenance} />
        </>
      }
      pageActions={[action(m.create, { need: 'room:create', run: () => setEditing('new') })]}
      rowActions={(room) => [
        action(p.edit, { need: 'room:update', run: () => setEditing(room) }),
        ...acts(
          'room:maintain',
          (body) => maintain.mutateAsync({ path: { id: room.id }, body }),
          room.maintenance.state,
          { names: [room.name], counts: room.counts },
        ),
        danger(p.remove, {
          need: 'room:delete',
          confirm: p.removeQuestion,
          run: () => remove.mutateAsync({ path: { id: room.id } }),
        }),
      ]}
    >
      <Suspense>
        {editing && <Form {...(editing !== 'new' && { room: editing })} onClose={() => setEditing(undefined)} />}
      </Suspense>
    </ListPage>
  )
}

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
import { useFrames, useRooms } from '../places'
import { hostMessages, pageMessages } from './messages'

const Form = lazy(() => import('./host-form'))
const Detail = lazy(() => import('./host-detail'))

type Host = RowOf<'hostList'>

const filter = defineFilter(
  {
    keyWord: textParam(),
    roomId: idParam(),
    frameId: idParam(),
    maintenance: choiceParam(maintenance),
  },
  ['name', 'slot', 'bladeAddress', 'positions', 'updatedAt'],
)
const c = columnsOf<Host>()

/** The hosts in the frames. */
export default function Hosts() {
  const m = useMessages(hostMessages)
  const p = useMessages(pageMessages)
  const list = useList('hostList', filter)
  const rooms = useRooms()
  const frames = useFrames(list.filter.roomId)
  const refresh = ['hostList', 'hostGet', 'fleetTree'] as const
  const remove = useApiMutation('hostDelete', { refresh })
  const maintain = useApiMutation('hostMaintain', { refresh: [...refresh, 'cardList'] })
  const acts = useMaintenanceActs()
  const [editing, setEditing] = useState<Host | 'new'>()
  useLiveCards(['hostList'])
  const columns = [
    c.detail('name', { width: 130 }),
    c.custom('roomId', (host) => rooms.name(host.roomId), { width: 190 }),
    c.number('slot', { width: 70 }),
    c.code('bladeAddress', { width: 130 }),
    c.number('positions', { width: 90 }),
    c.custom('counts', ({ id, counts }) => <PlaceCounts counts={counts} where={{ hostId: id }} />, { width: 340 }),
    c.custom('maintenance', (host) => <ChoiceLabel choices={maintenance} value={host.maintenance.state} />),
    c.text('remark', { spare: true }),
    c.time('updatedAt', { spare: true }),
  ]
  return (
    <ListPage
      messages={hostMessages}
      list={list}
      columns={columns}
      exports={{ operation: 'hostExport', need: 'room:export' }}
      nameOf={(host) => host.name}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={p.search} />
          <ChoiceFilter name="roomId" choices={rooms.choices} width={180} />
          <ChoiceFilter name="frameId" choices={frames.choices} />
          <ChoiceFilter name="maintenance" choices={maintenance} />
        </>
      }
      pageActions={[action(m.create, { need: 'room:create', run: () => setEditing('new') })]}
      rowActions={(host) => [
        action(p.edit, { need: 'room:update', run: () => setEditing(host) }),
        ...acts(
          'room:maintain',
          (body) => maintain.mutateAsync({ path: { id: host.id }, body }),
          host.maintenance.state,
        ),
        danger(p.remove, {
          need: 'room:delete',
          confirm: p.removeQuestion,
          run: () => remove.mutateAsync({ path: { id: host.id } }),
        }),
      ]}
      detail={(id, close) => (
        <Suspense>
          <Detail id={Number(id)} onClose={close} />
        </Suspense>
      )}
    >
      <Suspense>
        {editing && <Form {...(editing !== 'new' && { host: editing })} onClose={() => setEditing(undefined)} />}
      </Suspense>
    </ListPage>
  )
}

import { lazy, Suspense, useState } from 'react'
import type { RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { sorts } from '@/api/words/HostView'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { ChoiceLabel } from '@/kit/choices'
import { lazyDetail } from '@/kit/detail/lazy-detail'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter, idParam, textParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { ReferenceFilter } from '@/kit/reference/reference-filter'
import { maintenance } from '../choices'
import { PlaceCounts } from '../counts'
import { framePath, roomPath } from '../links'
import { useLiveCards } from '../live'
import { usePlaceActs } from '../place-acts'
import { framesOf, rooms } from '../places'
import { hostMessages, pageMessages } from './messages'

const Form = lazy(() => import('./host-form'))
const Detail = lazyDetail('hostGet', () => import('./host-detail'))
const Import = lazy(() => import('./host-import'))

type Host = RowOf<'hostList'>

const filter = defineFilter(
  {
    keyWord: textParam(),
    roomId: idParam(),
    frameId: idParam(),
    maintenance: choiceParam(maintenance),
  },
  sorts,
)
const c = columnsOf<Host>()

const columns = [
  c.detail('name'),
  c.reference('room', roomPath, { importance: 2 }),
  c.reference('frame', framePath, { importance: 3 }),
  c.number('slot', { importance: 1 }),
  c.code('bladeAddress', { importance: 1 }),
  c.number('positions'),
  c.custom('counts.total', ({ id, counts }) => <PlaceCounts counts={counts} where={{ hostId: id }} />, {
    importance: 4,
  }),
  c.custom('maintenance', (host) => <ChoiceLabel choices={maintenance} value={host.maintenance.state} />, {
    importance: 2,
  }),
  c.text('remark', { spare: true }),
  c.time('updatedAt', { spare: true }),
]

/** The hosts in the frames. */
export default function Hosts() {
  const m = useMessages(hostMessages)
  const p = useMessages(pageMessages)
  const list = useList('hostList', filter)
  const refresh = ['hostList', 'hostGet', 'fleetTree'] as const
  const remove = useApiMutation('hostDelete', { refresh })
  const acts = usePlaceActs()
  const [editing, setEditing] = useState<Host | 'new' | 'import'>()
  useLiveCards(['hostList'])
  return (
    <ListPage
      messages={hostMessages}
      list={list}
      columns={columns}
      exports={{ operation: 'hostExport', need: 'room:export' }}
      nameOf={(host) => host.name}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={p.name} />
          <ReferenceFilter name="roomId" source={rooms} width={180} clears={['frameId']} />
          <ReferenceFilter
            name="frameId"
            source={framesOf(list.filter.roomId)}
            width={120}
            waits={list.filter.roomId === undefined}
          />
          <ChoiceFilter name="maintenance" choices={maintenance} />
        </>
      }
      pageActions={[
        action(m.create, { need: 'room:create', run: () => setEditing('new') }),
        action(m.import, { need: 'room:create', run: () => setEditing('import') }),
      ]}
      rowActions={(host) => {
        const { operations, maintenance, panel } = acts({ ...host, kind: 'host' })
        return [
          panel,
          action(p.edit, { need: 'room:update', run: () => setEditing(host) }),
          ...operations,
          ...maintenance,
          danger(p.remove, {
            need: 'room:delete',
            confirm: p.removeQuestion,
            run: () => remove.mutateAsync({ path: { id: host.id } }),
          }),
        ]
      }}
      detail={(id, close) => <Detail id={Number(id)} onClose={close} />}
    >
      <Suspense>
        {editing === 'import' && <Import onClose={() => setEditing(undefined)} />}
        {editing && editing !== 'import' && (
          <Form {...(editing !== 'new' && { host: editing })} onClose={() => setEditing(undefined)} />
        )}
      </Suspense>
    </ListPage>
  )
}

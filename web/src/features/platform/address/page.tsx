import { lazy, Suspense, useState } from 'react'
import type { RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { sorts } from '@/api/words/ServiceAddressView'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter, idParam, textParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { ReferenceFilter } from '@/kit/reference/reference-filter'
import { ReferenceText } from '@/kit/reference/reference-text'
import { TimeText } from '@/kit/time-text'
import { freeText } from '@/ui/data-table'
import { StatusTag } from '@/ui/status-tag'
import { roomPath } from '../../device/links'
import { addressState, serviceKind, serviceReach } from '../choices'
import { rooms } from '../links'
import { useLiveAddresses } from './live'
import { messages } from './messages'

const Form = lazy(() => import('./form'))

type Address = RowOf<'serviceAddressList'>

const filter = defineFilter(
  {
    keyWord: textParam(),
    roomId: idParam(),
    kind: choiceParam(serviceKind),
    enabled: choiceParam(addressState),
    reached: choiceParam(serviceReach),
  },
  sorts,
)

const c = columnsOf<Address>()

const columns = [
  c.text('name'),
  c.choice('enabled', addressState, { importance: 4 }),
  c.choice('reached', serviceReach, { importance: 3 }),
  c.custom('silence', (address) => <Silence of={address.silence} />, { ...freeText, importance: 5 }),
  c.choice('kind', serviceKind, { importance: 3 }),
  c.custom('room', (address) => <RoomOf address={address} />, { importance: 3 }),
  c.code('host', { importance: 4 }),
  c.code('port', { importance: 4 }),
  c.number('weight', { importance: 2 }),
  c.time('checkedAt', { importance: 1 }),
  c.time('createdAt', { spare: true }),
  c.time('updatedAt', { spare: true }),
]

/** Which room it serves. */
function RoomOf({ address: { room } }: { address: Address }) {
  const m = useMessages(messages)
  return room ? <ReferenceText of={room} to={roomPath(room.id)} /> : <span className="sky-soft">{m.allRooms}</span>
}

/** Since when a gateway tells nothing of how many of its streams, and what stands still because of it. */
function Silence({ of }: { of: Address['silence'] }) {
  const m = useMessages(messages)
  if (!of) return <span className="sky-soft">—</span>
  const stands = of.standsStill ? m.allStand : m.oneStands
  return (
    <span title={stands}>
      <StatusTag tone={of.standsStill ? 'bad' : 'warn'}>{m.silent(of.silent, of.streams)}</StatusTag>{' '}
      <TimeText at={of.since} /> <span className="sky-soft">{stands}</span>
    </span>
  )
}

const refresh = ['serviceAddressList'] as const

/** Where the company's gateways and services answer. */
export default function AddressPage() {
  const m = useMessages(messages)
  const list = useList('serviceAddressList', filter)
  useLiveAddresses()
  const setEnabled = useApiMutation('serviceAddressSetEnabled', { refresh })
  const check = useApiMutation('serviceAddressCheck', { refresh })
  const remove = useApiMutation('serviceAddressDelete', { refresh })
  const [editing, setEditing] = useState<{ address?: Address }>()

  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      exports={{ operation: 'serviceAddressExport', need: 'serviceAddress:export' }}
      nameOf={(address) => address.name}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={m.search} />
          <ReferenceFilter name="roomId" source={rooms} />
          <ChoiceFilter name="kind" choices={serviceKind} />
          <ChoiceFilter name="enabled" choices={addressState} />
          <ChoiceFilter name="reached" choices={serviceReach} />
        </>
      }
      pageActions={[action(m.create, { need: 'serviceAddress:create', run: () => setEditing({}) })]}
      rowActions={(address) => {
        const path = { id: address.id }
        return [
          action(m.edit, { need: 'serviceAddress:update', run: () => setEditing({ address }) }),
          action(m.check, { need: 'serviceAddress:check', run: () => check.mutateAsync({ path }) }),
          address.enabled
            ? danger(m.disable, {
                need: 'serviceAddress:update',
                confirm: m.disableQuestion,
                run: () => setEnabled.mutateAsync({ path, body: { enabled: false } }),
              })
            : action(m.enable, {
                need: 'serviceAddress:update',
                confirm: m.enableQuestion,
                run: () => setEnabled.mutateAsync({ path, body: { enabled: true } }),
              }),
          danger(m.remove, {
            need: 'serviceAddress:delete',
            confirm: m.removeQuestion(address.name),
            run: () => remove.mutateAsync({ path }),
          }),
        ]
      }}
    >
      <Suspense>{editing && <Form {...editing} onClose={() => setEditing(undefined)} />}</Suspense>
    </ListPage>
  )
}

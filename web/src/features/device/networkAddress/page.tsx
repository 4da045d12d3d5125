import { lazy, Suspense, useState } from 'react'
import type { RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter, idParam, textParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { maintenance } from '../choices'
import { useRooms } from '../places'
import { messages } from './messages'
import { type AddressRange, rangeText } from './ranges'

const Form = lazy(() => import('./form'))

type Plan = RowOf<'addressPlanList'>

const filter = defineFilter({ keyWord: textParam(), roomId: idParam(), maintenance: choiceParam(maintenance) }, [
  'name',
  'span',
  'updatedAt',
])
const c = columnsOf<Plan>()

/** Which addresses a room has, inside and outside. */
export default function NetworkAddressPage() {
  const m = useMessages(messages)
  const list = useList('addressPlanList', filter)
  const rooms = useRooms()
  const remove = useApiMutation('addressPlanDelete', { refresh: ['addressPlanList'] })
  const [editing, setEditing] = useState<Plan | 'new'>()
  const range = (of: AddressRange) => <span className="sky-mono">{rangeText(of)}</span>
  const columns = [
    c.text('name', { width: 160, pin: 'start' }),
    c.custom('roomId', (plan) => rooms.name(plan.roomId), { width: 180 }),
    c.custom('intranet', (plan) => range(plan.intranet), { width: 280 }),
    c.custom('extranet', (plan) => range(plan.extranet), { width: 280 }),
    c.number('span', { width: 90 }),
    c.text('remark', { spare: true }),
    c.time('createdAt', { spare: true }),
    c.time('updatedAt'),
  ]

  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      exports={{ operation: 'addressPlanExport', need: 'addressPlan:export' }}
      nameOf={(plan) => plan.name}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={m.search} />
          <ChoiceFilter name="roomId" choices={rooms.choices} width={180} />
        </>
      }
      pageActions={[action(m.create, { need: 'addressPlan:create', run: () => setEditing('new') })]}
      rowActions={(plan) => [
        action(m.edit, { need: 'addressPlan:update', run: () => setEditing(plan) }),
        danger(m.remove, {
          need: 'addressPlan:delete',
          confirm: m.removeQuestion,
          run: () => remove.mutateAsync({ path: { id: plan.id } }),
        }),
      ]}
    >
      <Suspense>
        {editing && (
          <Form rooms={rooms} {...(editing !== 'new' && { plan: editing })} onClose={() => setEditing(undefined)} />
        )}
      </Suspense>
    </ListPage>
  )
}

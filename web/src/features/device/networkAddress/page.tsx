import { lazy, Suspense, useState } from 'react'
import type { RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { sorts } from '@/api/words/AddressPlanView'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { columnsOf } from '@/kit/list/columns'
import { defineFilter, idParam, textParam } from '@/kit/list/filter'
import { TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { ReferenceFilter } from '@/kit/reference/reference-filter'
import { roomPath } from '../links'
import { rooms } from '../places'
import { messages } from './messages'
import { type AddressRange, rangeText } from './ranges'

const Form = lazy(() => import('./form'))

type Plan = RowOf<'addressPlanList'>

const filter = defineFilter({ keyWord: textParam(), roomId: idParam() }, sorts)
const c = columnsOf<Plan>()

const range = (of: AddressRange) => <span className="sky-mono">{rangeText(of)}</span>

const columns = [
  c.text('name', { pin: 'start' }),
  c.reference('room', roomPath, { importance: 2 }),
  c.custom('intranet', (plan) => range(plan.intranet), { importance: 3 }),
  c.custom('extranet', (plan) => range(plan.extranet), { importance: 3 }),
  c.number('span', { importance: 1 }),
  c.text('remark', { spare: true }),
  c.time('createdAt', { spare: true }),
  c.time('updatedAt'),
]

/** Which addresses a room has, inside and outside. */
export default function NetworkAddressPage() {
  const m = useMessages(messages)
  const list = useList('addressPlanList', filter)
  const remove = useApiMutation('addressPlanDelete', { refresh: ['addressPlanList'] })
  const [editing, setEditing] = useState<Plan | 'new'>()

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
          <ReferenceFilter name="roomId" source={rooms} width={180} />
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
        {editing && <Form {...(editing !== 'new' && { plan: editing })} onClose={() => setEditing(undefined)} />}
      </Suspense>
    </ListPage>
  )
}

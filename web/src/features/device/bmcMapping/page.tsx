import { lazy, Suspense, useState } from 'react'
import type { RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { columnsOf } from '@/kit/list/columns'
import { defineFilter, idParam, textParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { useRooms } from '../places'
import type { Check } from './check'
import { messages } from './messages'

const Form = lazy(() => import('./form'))
const CheckDrawer = lazy(() => import('./check'))

type Bmc = RowOf<'bmcList'>

const filter = defineFilter({ keyWord: textParam(), roomId: idParam() }, ['address', 'username', 'updatedAt'])
const c = columnsOf<Bmc>()

function Ranges({ bmc }: { bmc: Bmc }) {
  const m = useMessages(messages)
  const texts = bmc.ranges.map(
    ({ startSlot, endSlot, startIp, endIp }) => `${m.slots(startSlot, endSlot)}: ${startIp} – ${endIp}`,
  )
  return <span title={texts.join('\n')}>{texts.join('；')}</span>
}

/** Management controllers, and which slot of theirs powers which card. */
export default function BmcMappingPage() {
  const m = useMessages(messages)
  const list = useList('bmcList', filter)
  const rooms = useRooms()
  const remove = useApiMutation('bmcDelete', { refresh: ['bmcList'] })
  const ask = useApiMutation('bmcCheck', { refresh: ['bmcList'] })
  const [editing, setEditing] = useState<Bmc | 'new'>()
  const [checked, setChecked] = useState<{ bmc: Bmc; check: Check }>()
  const check = async (bmc: Bmc) => setChecked({ bmc, check: await ask.mutateAsync({ path: { id: bmc.id } }) })
  const columns = [
    c.code('address', { width: 130, pin: 'start' }),
    c.code('port', { width: 75 }),
    c.custom('roomId', (bmc) => rooms.name(bmc.roomId), { width: 180 }),
    c.text('username', { width: 110 }),
    c.custom('ranges', (bmc) => <Ranges bmc={bmc} />, { width: 320 }),
    c.custom(
      'certificate',
      ({ certificate }) =>
        certificate ? (
          <span className="sky-mono" title={certificate}>
            {certificate.slice(0, 16)}…
          </span>
        ) : (
          <span className="sky-soft">{m.notYet}</span>
        ),
      { width: 170 },
    ),
    c.text('remark', { spare: true }),
    c.time('updatedAt'),
  ]

  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      exports={{ operation: 'bmcExport', need: 'bmc:export' }}
      nameOf={(bmc) => bmc.address}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={m.search} />
          <ChoiceFilter name="roomId" choices={rooms.choices} width={180} />
        </>
      }
      pageActions={[action(m.create, { need: 'bmc:create', run: () => setEditing('new') })]}
      rowActions={(bmc) => [
        action(m.check, { need: 'bmc:check', run: () => check(bmc) }),
        action(m.edit, { need: 'bmc:update', run: () => setEditing(bmc) }),
        danger(m.remove, {
          need: 'bmc:delete',
          confirm: m.removeQuestion,
          run: () => remove.mutateAsync({ path: { id: bmc.id } }),
        }),
      ]}
    >
      <Suspense>
        {editing && (
          <Form rooms={rooms} {...(editing !== 'new' && { bmc: editing })} onClose={() => setEditing(undefined)} />
        )}
        {checked && (
          <CheckDrawer
            name={checked.bmc.address}
            check={checked.check}
            isBusy={ask.isPending}
            // What went wrong has been shown by the call.
            onAgain={() => void check(checked.bmc).catch(() => undefined)}
            onClose={() => setChecked(undefined)}
          />
        )}
      </Suspense>
    </ListPage>
  )
}

import { lazy, Suspense, useState } from 'react'
import type { RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { sorts } from '@/api/words/BmcView'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter, idParam, textParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { ReferenceFilter } from '@/kit/reference/reference-filter'
import { freeText } from '@/ui/data-table'
import { bmcState } from '../choices'
import { roomPath } from '../links'
import { rooms } from '../places'
import type { Check } from './check'
import { messages } from './messages'

const Form = lazy(() => import('./form'))
const CheckDrawer = lazy(() => import('./check'))

type Bmc = RowOf<'bmcList'>

const filter = defineFilter({ keyWord: textParam(), roomId: idParam(), state: choiceParam(bmcState) }, sorts)
const c = columnsOf<Bmc>()

const columns = [
  c.code('address', { pin: 'start' }),
  c.code('port'),
  c.choice('state', bmcState, { importance: 4 }),
  c.text('stateReason', { importance: 1 }),
  c.time('stateSince', { importance: 2 }),
  c.time('askedAt', { spare: true }),
  c.reference('room', roomPath, { importance: 3 }),
  c.text('username', { importance: 1 }),
  c.custom('ranges', (bmc) => <Ranges bmc={bmc} />, { ...freeText, importance: 4 }),
  c.custom('certificate', (bmc) => <Certificate bmc={bmc} />, { importance: 1 }),
  c.text('remark', { spare: true }),
  c.time('updatedAt'),
]

function Ranges({ bmc }: { bmc: Bmc }) {
  const m = useMessages(messages)
  const texts = bmc.ranges.map(
    ({ startSlot, endSlot, startIp, endIp }) => `${m.slots(startSlot, endSlot)}: ${startIp} – ${endIp}`,
  )
  return <span title={texts.join('\n')}>{texts.join('；')}</span>
}

function Certificate({ bmc: { certificate } }: { bmc: Bmc }) {
  const m = useMessages(messages)
  if (!certificate)
    return (
      <span className="sky-soft" title={m.notYet}>
        {m.notYet}
      </span>
    )
  return (
    <span className="sky-mono" title={certificate}>
      {certificate.slice(0, 16)}…
    </span>
  )
}

/** Management controllers, and which slot of theirs powers which card. */
export default function BmcMappingPage() {
  const m = useMessages(messages)
  const list = useList('bmcList', filter)
  const remove = useApiMutation('bmcDelete', { refresh: ['bmcList'] })
  const ask = useApiMutation('bmcCheck', { refresh: ['bmcList'] })
  const [editing, setEditing] = useState<Bmc | 'new'>()
  const [checked, setChecked] = useState<{ bmc: Bmc; check: Check }>()
  const check = async (bmc: Bmc) => setChecked({ bmc, check: await ask.mutateAsync({ path: { id: bmc.id } }) })

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
          <ReferenceFilter name="roomId" source={rooms} width={180} />
          <ChoiceFilter name="state" choices={bmcState} />
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
        {editing && <Form {...(editing !== 'new' && { bmc: editing })} onClose={() => setEditing(undefined)} />}
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

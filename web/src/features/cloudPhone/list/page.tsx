import { lazy, Suspense, useState } from 'react'
import { useLocation } from 'react-router'
import type { RowOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { sorts } from '@/api/words/PhoneView'
import { useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import { lazyDetail } from '@/kit/detail/lazy-detail'
import { choiceParam, defineFilter, idParam, textParam, timeParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter, TimeRangeFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { ReferenceFilter } from '@/kit/reference/reference-filter'
import { users } from '../../clientUser/links'
import { board, diskState, flag, life, plan, pool, source, useType } from '../choices'
import { phonePath } from '../links'
import { rooms } from '../places'
import { actMessages } from './act-messages'
import { usePhoneActs } from './acts'
import { columns } from './columns'
import { useLivePhones } from './live'
import { messages } from './messages'

const PhonePage = lazyDetail('phoneGet', () => import('./phone-page'))
const Form = lazy(() => import('./form'))
const Edit = lazy(() => import('./edit'))
const Import = lazy(() => import('./import'))
const Rules = lazy(() => import('./rules-drawer'))

type Phone = RowOf<'phoneList'>

const filter = defineFilter(
  {
    keyWord: textParam(),
    roomId: idParam(),
    plan: choiceParam(plan),
    board: choiceParam(board),
    image: textParam(),
    life: choiceParam(life),
    useType: choiceParam(useType),
    pool: choiceParam(pool),
    source: choiceParam(source),
    userId: idParam(),
    startTime: timeParam(),
    endTime: timeParam(),
    expiresSoon: choiceParam(flag),
    held: choiceParam(flag),
    noBackup: choiceParam(flag),
    queued: choiceParam(flag),
    failed: choiceParam(flag),
    diskState: choiceParam(diskState),
  },
  sorts,
)

/** All phones, or the page of one: its id is the last part of the address. */
export default function PhonesPage() {
  const { pathname } = useLocation()
  const id = /\/(\d+)$/.exec(pathname)?.[1]
  return id === undefined ? <Phones /> : <PhonePage key={id} id={Number(id)} />
}

/** What customers rent: whose it is, where it is, until when, and what can be done with it. */
function Phones() {
  const m = useMessages(messages)
  const { edit } = useMessages(actMessages)
  const list = useList('phoneList', filter)
  const acts = usePhoneActs()
  useLivePhones()
  const [editing, setEditing] = useState<Phone>()
  const [open, setOpen] = useState<'form' | 'import' | 'rules'>()
  const counts = useApiQuery('phoneCounts', {}, { keepPrevious: true, suppressNotice: true }).data
  const close = () => setOpen(undefined)
  const { active, frozen, expired } = life.value
  const { on, off } = useType.value

  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      nameOf={(phone) => phone.code}
      views={[
        { label: m.viewOn, filter: { useType: on }, count: counts?.on },
        { label: m.viewOff, filter: { life: active, useType: off }, count: counts?.off },
        { label: m.viewFrozen, filter: { life: frozen }, count: counts?.frozen },
        { label: m.viewExpired, filter: { life: expired }, count: counts?.expired },
        { label: m.viewSoon, filter: { expiresSoon: true }, count: counts?.expiresSoon },
        // Mostly there are none.
        ...(counts?.held || list.filter.held
          ? [{ label: m.viewHeld, filter: { held: true }, count: counts?.held }]
          : []),
      ]}
      all={counts?.all}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={m.search} />
          <ReferenceFilter name="roomId" source={rooms} width={140} />
          <ChoiceFilter name="plan" choices={plan} />
          <ChoiceFilter name="board" choices={board} />
          <ChoiceFilter name="life" choices={life} />
          <TimeRangeFilter name="expiresAt" />
          <ChoiceFilter name="useType" choices={useType} />
          <ChoiceFilter name="pool" choices={pool} />
          <ChoiceFilter name="source" choices={source} />
          <TextFilter name="image" />
          <ReferenceFilter name="userId" source={users} />
          <ChoiceFilter name="expiresSoon" choices={flag} />
          <ChoiceFilter name="held" choices={flag} />
          <ChoiceFilter name="noBackup" choices={flag} />
          <ChoiceFilter name="queued" choices={flag} />
          <ChoiceFilter name="failed" choices={flag} />
          <ChoiceFilter name="diskState" choices={diskState} />
        </>
      }
      pageActions={[
        action(m.create, { need: 'phone:create', run: () => setOpen('form') }),
        action(m.import, { need: 'phone:import', run: () => setOpen('import') }),
        action(m.rules, { need: 'phoneRule:get', run: () => setOpen('rules') }),
      ]}
      rowActions={(phone) => [
        ...acts.of(phone),
        ...(phone.life === life.value.erased
          ? []
          : [action(edit, { need: 'phone:update', run: () => setEditing(phone) })]),
      ]}
      bulkActions={({ selection }) => acts.ofMany(selection, list.filter.held === true)}
      exports={{ operation: 'phoneExport', need: 'phone:export' }}
      detailPath={phonePath}
    >
      <Suspense>
        {open === 'form' && <Form onClose={close} />}
        {open === 'import' && <Import onClose={close} />}
        {open === 'rules' && <Rules onClose={close} />}
        {editing && <Edit phone={editing} onClose={() => setEditing(undefined)} />}
      </Suspense>
      {acts.host}
    </ListPage>
  )
}

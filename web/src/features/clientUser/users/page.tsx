import { lazy, Suspense, useState } from 'react'
import { useCan } from '@/access/permissions'
import type { RowOf } from '@/api/call'
import { sorts } from '@/api/words/ClientUserView'
import { useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import { lazyDetail } from '@/kit/detail/lazy-detail'
import { DeviceText } from '@/kit/device-text'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter, idParam, textParam, timeParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter, TimeRangeFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { ReferenceFilter } from '@/kit/reference/reference-filter'
import { freeText } from '@/ui/data-table'
import { apps, openAppPath } from '../../platform/links'
import { clientType, clientUserStatus, loginMethod } from '../choices'
import { messages } from './messages'
import { useStatusActs } from './status'

const Detail = lazyDetail('clientUserGet', () => import('./detail'))
const Form = lazy(() => import('./form'))
const Import = lazy(() => import('./import'))

type ClientUser = RowOf<'clientUserPage'>

const filter = defineFilter(
  {
    keyWord: textParam(),
    status: choiceParam(clientUserStatus),
    loginMethod: choiceParam(loginMethod),
    clientType: choiceParam(clientType),
    appId: idParam(),
    startTime: timeParam(),
    endTime: timeParam(),
  },
  sorts,
)

const c = columnsOf<ClientUser>()

const columns = [
  c.code('id', { importance: 2 }),
  c.detail('name'),
  c.choice('status', clientUserStatus, { importance: 4 }),
  c.code('phone', { importance: 4 }),
  c.text('email', { importance: 2 }),
  c.code('identCode', { importance: 1 }),
  c.choice('loginMethod', loginMethod),
  c.custom('deviceName', ({ deviceName }) => <DeviceText name={deviceName} />, freeText),
  c.choice('clientType', clientType),
  c.code('clientVersion', { spare: true }),
  c.code('registerIp', { spare: true }),
  c.number('starCoins', { importance: 1 }),
  c.number('phoneCount', { importance: 3 }),
  c.time('registeredAt'),
  c.time('lastLoginAt', { importance: 3 }),
  c.text('remark', { spare: true }),
]

/** The application that brought them is named to everybody, and leads to its page whoever may open that. */
const withApps = [...columns, c.reference('app', openAppPath, { spare: true })]
const withoutApps = [...columns, c.reference('app', undefined, { spare: true })]

/** The customers of the platform: the home of the console. */
export default function ClientUsersPage() {
  const m = useMessages(messages)
  const list = useList('clientUserPage', filter)
  const [editing, setEditing] = useState<ClientUser | 'new'>()
  const [isImporting, setImporting] = useState(false)
  const statusActs = useStatusActs()
  const mayListApps = useCan()('openApp:list')

  return (
    <ListPage
      messages={messages}
      list={list}
      columns={mayListApps ? withApps : withoutApps}
      nameOf={(user) => user.name}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={m.search} />
          <ChoiceFilter name="status" choices={clientUserStatus} />
          <ChoiceFilter name="loginMethod" choices={loginMethod} />
          <ChoiceFilter name="clientType" choices={clientType} />
          <TimeRangeFilter name="registeredAt" />
          {mayListApps && <ReferenceFilter name="appId" source={apps} />}
        </>
      }
      countsViews
      pageActions={[
        action(m.create, { need: 'clientUser:create', run: () => setEditing('new') }),
        action(m.import, { need: 'clientUser:import', run: () => setImporting(true) }),
      ]}
      rowActions={(user) => [
        action(m.edit, {
          need: 'clientUser:update',
          blocked: user.status === clientUserStatus.value.loggedOut ? m.isClosed : undefined,
          run: () => setEditing(user),
        }),
        statusActs.of(user),
      ]}
      bulkActions={({ selection }) => [statusActs.disable(selection), statusActs.enable(selection)]}
      exports={{ operation: 'clientUserExport', need: 'clientUser:export' }}
      detail={(id, close) => <Detail id={Number(id)} onEdit={setEditing} onClose={close} />}
    >
      <Suspense>
        {editing && <Form {...(editing !== 'new' && { user: editing })} onClose={() => setEditing(undefined)} />}
        {isImporting && <Import onClose={() => setImporting(false)} />}
      </Suspense>
    </ListPage>
  )
}

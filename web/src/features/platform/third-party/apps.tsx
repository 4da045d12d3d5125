import { lazy, Suspense, useState } from 'react'
import type { RowOf } from '@/api/call'
import { sorts } from '@/api/words/OpenAppView'
import { useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import { lazyDetail } from '@/kit/detail/lazy-detail'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter, textParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { freeText } from '@/ui/data-table'
import { openOwner, openState } from '../choices'
import { type MadeKey, useAppActs } from './acts'
import { KeyCount, Owner, PerDay, Scopes } from './figures'
// Not loaded when it is needed: the secret is told once, and a chunk may fail to come.
import { KeyDialog } from './key-dialog'
import { messages } from './messages'

const Detail = lazyDetail('openAppGet', () => import('./detail'))
const Form = lazy(() => import('./form'))

type App = RowOf<'openAppList'>

const filter = defineFilter(
  { keyWord: textParam(), owner: choiceParam(openOwner), enabled: choiceParam(openState) },
  sorts,
)

const c = columnsOf<App>()

const columns = [
  c.detail('name'),
  c.choice('enabled', openState, { importance: 4 }),
  c.custom('owner', (app) => <Owner of={app} />, { ...freeText, importance: 3 }),
  c.custom('scopes', (app) => <Scopes of={app} />, { ...freeText, importance: 3 }),
  c.custom('keys', (app) => <KeyCount of={app} />, { importance: 2 }),
  c.number('calls', { importance: 2 }),
  c.number('perSecond', { importance: 1 }),
  c.custom('perDay', (app) => <PerDay of={app} />, { align: 'end', importance: 1 }),
  c.code('ips', { spare: true }),
  c.text('remark'),
  c.time('createdAt', { spare: true }),
  c.time('updatedAt', { spare: true }),
]

/** The applications that call the Open API. */
export function Apps() {
  const m = useMessages(messages)
  const list = useList('openAppList', filter)
  const [editing, setEditing] = useState<{ app?: App }>()
  const [made, setMade] = useState<MadeKey>()
  const acts = useAppActs({ onEdit: (app) => setEditing({ app }), onKey: setMade })
  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      exports={{ operation: 'openAppExport', need: 'openApp:export' }}
      nameOf={(app) => app.name}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={m.search} />
          <ChoiceFilter name="owner" choices={openOwner} />
          <ChoiceFilter name="enabled" choices={openState} />
        </>
      }
      pageActions={[action(m.create, { need: 'openApp:create', run: () => setEditing({}) })]}
      rowActions={acts}
      detail={(id, close) => <Detail id={Number(id)} acts={acts} onClose={close} />}
    >
      <Suspense>
        {editing && <Form {...editing} onClose={() => setEditing(undefined)} />}
        {made && <KeyDialog made={made} onClose={() => setMade(undefined)} />}
      </Suspense>
    </ListPage>
  )
}

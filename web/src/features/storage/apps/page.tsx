import { lazy, Suspense, useState } from 'react'
import type { RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { sorts } from '@/api/words/ForbiddenApp'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { ChoiceLabel } from '@/kit/choices'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter, textParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { messages } from './messages'
import { everyPlan, forbiddenPlan, plan } from './plans'

const Form = lazy(() => import('./form'))

type App = RowOf<'forbiddenAppList'>

const filter = defineFilter({ keyWord: textParam(), plan: choiceParam(plan) }, sorts)

const c = columnsOf<App>()

const columns = [
  c.text('name'),
  c.code('package', { importance: 3 }),
  c.custom('plan', (app) => <ChoiceLabel choices={forbiddenPlan} value={app.plan ?? everyPlan} />, { importance: 2 }),
  c.time('createdAt', { importance: 1 }),
  c.time('updatedAt', { spare: true }),
]

/** Apps that do not come back with a phone. */
export default function ForbiddenAppsPage() {
  const m = useMessages(messages)
  const list = useList('forbiddenAppList', filter)
  const remove = useApiMutation('forbiddenAppDelete', { refresh: ['forbiddenAppList'] })
  const [editing, setEditing] = useState<{ app?: App }>()

  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      exports={{ operation: 'forbiddenAppExport', need: 'app:export' }}
      nameOf={(app) => app.name}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={m.search} />
          <ChoiceFilter name="plan" choices={plan} />
        </>
      }
      pageActions={[action(m.create, { need: 'app:create', run: () => setEditing({}) })]}
      rowActions={(app) => [
        action(m.edit, { need: 'app:update', run: () => setEditing({ app }) }),
        danger(m.remove, {
          need: 'app:delete',
          confirm: m.removeQuestion(app.name),
          run: () => remove.mutateAsync({ path: { id: app.id } }),
        }),
      ]}
    >
      <Suspense>{editing && <Form {...editing} onClose={() => setEditing(undefined)} />}</Suspense>
    </ListPage>
  )
}

import { lazy, Suspense, useState } from 'react'
import { useCan } from '@/access/permissions'
import { call, type RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { sorts } from '@/api/words/RuleScopeRow'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter } from '@/kit/list/filter'
import { ChoiceFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { ruleField, ruleScope } from '../choices'
import { ownMessages } from './messages'
import { refresh, scopeText, type Target, targetOf } from './values'

const RuleDrawer = lazy(() => import('./rule-drawer'))
const HistoryDrawer = lazy(() => import('./history-drawer'))
const ScopeFields = lazy(() => import('./scope-fields'))

const filter = defineFilter({ scope: choiceParam(ruleScope), field: choiceParam(ruleField) }, sorts)

type Row = RowOf<'phoneRuleScopeList'>

const c = columnsOf<Row>()

const columns = [
  c.text('name', { pin: 'start', lasting: true }),
  c.choice('scope', ruleScope, { importance: 2 }),
  c.number('count', { importance: 1 }),
  c.text('summary', { importance: 3 }),
  c.time('updatedAt', { importance: 1 }),
  c.text('updatedBy', { importance: 1 }),
]

/** Who has values of their own: rooms, plans in them, single phones, and also everybody and whole plans. */
export default function OwnRules() {
  const m = useMessages(ownMessages)
  const language = useLanguage()
  const list = useList('phoneRuleScopeList', filter)
  const mayChange = useCan()('phoneRule:update')
  const update = useApiMutation('phoneRuleUpdate', { refresh })
  const [open, setOpen] = useState<{ part: 'rules' | 'history'; target: Target; name: string }>()
  const close = () => setOpen(undefined)

  /** What was read last is what is cleared. */
  const clear = async (target: Target) => {
    const { version } = await call('phoneRuleGet', { query: target })
    return update.mutateAsync({ body: { ...target, version, values: {} } as Body })
  }
  const acts = (row: Row) => {
    const [target, name] = [targetOf(row), scopeText(row, language)]
    return [
      action(mayChange ? m.change : m.see, {
        need: 'phoneRule:get',
        run: () => setOpen({ part: 'rules', target, name }),
      }),
      action(m.history, { need: 'phoneRule:get', run: () => setOpen({ part: 'history', target, name }) }),
      danger(m.clear, { need: 'phoneRule:update', confirm: m.clearQuestion(name), run: () => clear(target) }),
    ]
  }

  return (
    <ListPage
      messages={ownMessages}
      list={list}
      columns={columns}
      nameOf={(row) => row.name}
      exports={{ operation: 'phoneRuleScopeExport', need: 'phoneRule:export' }}
      filters={
        <>
          <ChoiceFilter name="scope" choices={ruleScope} />
          <ChoiceFilter name="field" choices={ruleField} />
        </>
      }
      pageActions={[
        action<Target>(m.add, {
          need: 'phoneRule:update',
          ask: <ScopeFields />,
          values: { scope: ruleScope.value.room },
          run: (target) => setOpen({ part: 'rules', target, name: '' }),
        }),
      ]}
      rowActions={acts}
    >
      <Suspense>
        {open?.part === 'rules' && <RuleDrawer target={open.target} onClose={close} />}
        {open?.part === 'history' && <HistoryDrawer target={open.target} name={open.name} onClose={close} />}
      </Suspense>
    </ListPage>
  )
}

type Body = Parameters<ReturnType<typeof useApiMutation<'phoneRuleUpdate'>>['mutateAsync']>[0]['body']

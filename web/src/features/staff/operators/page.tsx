import { lazy, Suspense, useState } from 'react'
import type { RowOf } from '@/api/call'
import { sorts } from '@/api/words/OperatorView'
import { useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import { lazyDetail } from '@/kit/detail/lazy-detail'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter, idParam, textParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { ReferenceText } from '@/kit/reference/reference-text'
import { accountType, enabledState, secondFactorState } from '../choices'
import { useGroupChoices } from '../group-choices'
import { groupPath } from '../links'
import { useOperatorActs } from './acts'
import { messages } from './messages'

const Detail = lazyDetail('operatorGet', () => import('./detail'))
const Form = lazy(() => import('./form'))

type Operator = RowOf<'operatorList'>

const filter = defineFilter(
  {
    keyWord: textParam(),
    groupId: idParam(),
    accountType: choiceParam(accountType),
    enabled: choiceParam(enabledState),
  },
  sorts,
)

const c = columnsOf<Operator>()

const columns = [
  c.detail('username'),
  c.choice('enabled', enabledState, { importance: 4 }),
  c.custom('group', ({ group }) => <GroupOf group={group} />, {
    importance: 3,
  }),
  c.choice('accountType', accountType, { importance: 1 }),
  c.text('email', { importance: 1 }),
  c.code('phone', { importance: 1 }),
  c.choice('secondFactor', secondFactorState, { importance: 2 }),
  c.flag('mustChangePassword', { spare: true }),
  c.time('lastSignInAt', { importance: 3 }),
  c.code('lastSignInIp', { spare: true }),
  c.text('remark'),
  c.time('createdAt', { spare: true }),
]

function GroupOf({ group }: Pick<Operator, 'group'>) {
  const m = useMessages(messages)
  return group ? <ReferenceText of={group} to={groupPath(group.id)} /> : <span className="sky-soft">{m.noGroup}</span>
}

/** The operators of this console: who they are, what they may do, and whether they may sign in. */
export default function OperatorsPage() {
  const m = useMessages(messages)
  const list = useList('operatorList', filter)
  const groups = useGroupChoices()
  const acts = useOperatorActs()
  const [editing, setEditing] = useState<Operator | 'new'>()

  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      exports={{ operation: 'operatorExport', need: 'operator:export' }}
      nameOf={(operator) => operator.username}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={m.search} width={240} />
          <ChoiceFilter name="groupId" choices={groups} />
          <ChoiceFilter name="accountType" choices={accountType} />
          <ChoiceFilter name="enabled" choices={enabledState} />
        </>
      }
      pageActions={[action(m.create, { need: 'operator:create', run: () => setEditing('new') })]}
      rowActions={(operator) => [
        action(m.edit, { need: 'operator:update', run: () => setEditing(operator) }),
        ...acts.of(operator),
      ]}
      bulkActions={({ selection }) => acts.onMany(selection)}
      detail={(id, close) => <Detail id={Number(id)} onEdit={setEditing} onClose={close} />}
    >
      <Suspense>
        {editing && <Form {...(editing !== 'new' && { operator: editing })} onClose={() => setEditing(undefined)} />}
      </Suspense>
    </ListPage>
  )
}

import { lazy, Suspense, useState } from 'react'
import type { RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { sorts } from '@/api/words/GroupView'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { lazyDetail } from '@/kit/detail/lazy-detail'
import { columnsOf } from '@/kit/list/columns'
import { useDetail } from '@/kit/list/detail-link'
import { defineFilter, textParam } from '@/kit/list/filter'
import { TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { messages } from './messages'

const Detail = lazyDetail('groupRightsGet', () => import('./detail'))
const Form = lazy(() => import('./form'))
const Compare = lazy(() => import('./compare'))

type Group = RowOf<'groupList'>

const filter = defineFilter({ keyWord: textParam() }, sorts)

const c = columnsOf<Group>()

const columns = [
  c.detail('groupName'),
  c.custom('builtin', ({ builtin }) => <Kind builtin={builtin} />),
  c.number('operatorCount'),
  c.number('codeCount'),
  c.time('createdAt'),
  c.time('updatedAt'),
]

function Kind({ builtin }: { builtin: boolean }) {
  const m = useMessages(messages)
  return builtin ? m.builtin : m.custom
}

/** Permission groups: what operators may do, in named sets. */
export default function GroupsPage() {
  const m = useMessages(messages)
  const list = useList('groupList', filter)
  const detail = useDetail()
  const remove = useApiMutation('groupDelete', { refresh: ['groupList', 'groupListAll'] })
  const [editing, setEditing] = useState<{ group?: Group; isCopy?: boolean }>()
  const [comparing, setComparing] = useState<readonly number[]>()

  const removeAct = (groups: readonly Group[]) => {
    const full = groups.find(({ operatorCount }) => operatorCount > 0)
    return danger(m.remove, {
      need: 'group:delete',
      blocked: groups.some(({ builtin }) => builtin)
        ? m.isBuiltin
        : full && `${full.groupName}: ${m.hasOperators(full.operatorCount)}`,
      confirm: m.removeQuestion,
      run: () => remove.mutateAsync({ body: { idList: groups.map(({ id }) => id) } }),
    })
  }

  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      exports={{ operation: 'groupExport', need: 'group:export' }}
      nameOf={(group) => group.groupName}
      filters={<TextFilter name="keyWord" placeholder={m.search} />}
      pageActions={[
        action(m.create, { need: 'group:create', run: () => setEditing({}) }),
        action(m.compare, { need: 'group:list', run: () => setComparing([]) }),
      ]}
      rowActions={(group) => [
        action(m.assign, { need: 'group:allot', run: () => detail.open(String(group.id)) }),
        action(m.rename, { need: 'group:update', run: () => setEditing({ group }) }),
        action(m.copy, { need: 'group:create', run: () => setEditing({ group, isCopy: true }) }),
        removeAct([group]),
      ]}
      bulkActions={({ selection }) => {
        const ids = 'ids' in selection ? selection.ids.map(Number) : []
        const groups = list.rows.filter(({ id }) => ids.includes(id))
        return [
          action(m.compare, {
            need: 'group:list',
            blocked: ids.length === 2 ? undefined : m.compareTwo,
            run: () => setComparing(ids),
          }),
          // Only what can be read here is deleted: never "all that match".
          ...(groups.length > 0 && groups.length === ids.length ? [removeAct(groups)] : []),
        ]
      }}
      detail={(id, close) => <Detail key={id} id={Number(id)} onClose={close} />}
    >
      <Suspense>
        {editing && <Form {...editing} onClose={() => setEditing(undefined)} />}
        {comparing && <Compare ids={comparing} onClose={() => setComparing(undefined)} />}
      </Suspense>
    </ListPage>
  )
}

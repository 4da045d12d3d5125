import { useRef } from 'react'
import type { RowOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { sorts } from '@/api/words/MemberView'
import { useMessages } from '@/i18n/messages'
import { DetailDrawer } from '@/kit/detail/detail-drawer'
import { useLeaveQuestion } from '@/kit/form/use-leave-question'
import { columnsOf } from '@/kit/list/columns'
import { defineFilter } from '@/kit/list/filter'
import { ListTable } from '@/kit/list/list-table'
import { useInnerList } from '@/kit/list/use-list'
import { StatusTag } from '@/ui/status-tag'
import { accountType, enabledState } from '../choices'
import { OperatorLink } from '../links'
import { memberMessages, messages } from './messages'
import { RightsEditor } from './rights-editor'

/** One group: what it holds, to be changed here, and who is in it. */
export default function GroupDetail({ id, onClose }: { id: number; onClose: () => void }) {
  const m = useMessages(messages)
  const query = useApiQuery('groupRightsGet', { path: { id } })
  const isDirty = useRef(false)
  const { leave, question } = useLeaveQuestion(() => isDirty.current)
  return (
    <>
      <DetailDrawer
        messages={messages}
        query={query}
        title={({ group }) => group.groupName}
        status={({ group }) => group.builtin && <StatusTag tone="info">{m.builtin}</StatusTag>}
        name={({ group }) => group.groupName}
        logged={({ group }) => ({ kind: 'group', id: group.id })}
        tabs={(rights) => [
          {
            key: 'rights',
            label: m.rights,
            content: (
              <RightsEditor
                rights={rights}
                onDirty={(dirty) => {
                  isDirty.current = dirty
                }}
              />
            ),
          },
          {
            key: 'members',
            label: `${m.members}（${rights.group.operatorCount}）`,
            content: <Members id={id} />,
          },
        ]}
        onClose={() => leave(onClose)}
      />
      {question}
    </>
  )
}

const filter = defineFilter({}, sorts)
const c = columnsOf<RowOf<'groupMemberList'>>()

const columns = [
  c.custom('username', ({ id, username }) => <OperatorLink id={id} name={username} />),
  c.choice('enabled', enabledState),
  c.choice('accountType', accountType),
  c.time('lastSignInAt'),
]

function Members({ id }: { id: number }) {
  const list = useInnerList('groupMemberList', filter, { id })
  return (
    <div className="kit-inner">
      <ListTable
        messages={memberMessages}
        list={list}
        columns={columns}
        exports={{ operation: 'groupMemberExport', need: 'group:export' }}
      />
    </div>
  )
}

import { useCan } from '@/access/permissions'
import { useSession } from '@/access/session'
import type { DataOf } from '@/api/call'
import { useApiMutation, useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import { ChoiceLabel } from '@/kit/choices'
import { DetailDrawer } from '@/kit/detail/detail-drawer'
import { Facts } from '@/kit/detail/facts'
import { ReferenceText } from '@/kit/reference/reference-text'
import { TimeText } from '@/kit/time-text'
import { accountType, enabledState, secondFactorState } from '../choices'
import { groupPath } from '../links'
import { OperatorActs } from '../sessions/acts'
import { SessionTable } from '../sessions/session-table'
import { SignIns } from '../sessions/sign-ins'
import { useOperatorActs } from './acts'
import { messages } from './messages'

type Operator = DataOf<'operatorGet'>

interface DetailProps {
  id: number
  onEdit: (operator: Operator) => void
  onClose: () => void
}

/** One operator: who it is, where he is signed in, and when he came. */
export default function OperatorDetail({ id, onEdit, onClose }: DetailProps) {
  const m = useMessages(messages)
  const acts = useOperatorActs()
  const mayReadLog = useCan()('operationLog:list')
  const query = useApiQuery('operatorGet', { path: { id } })
  return (
    <DetailDrawer
      messages={messages}
      query={query}
      title={(operator) => operator.username}
      status={(operator) => <ChoiceLabel choices={enabledState} value={operator.enabled} />}
      name={(operator) => operator.username}
      logged={({ id }) => ({ kind: 'operator', id })}
      actions={(operator) => [
        action(m.edit, { need: 'operator:update', run: () => onEdit(operator) }),
        ...acts.of(operator).slice(1, 3),
      ]}
      tabs={(operator) => [
        { key: 'profile', label: m.profile, content: <Profile operator={operator} /> },
        { key: 'sessions', label: m.sessions, content: <Sessions id={operator.id} /> },
        { key: 'signIns', label: m.signIns, content: <SignIns userId={operator.id} /> },
        ...(mayReadLog ? [{ key: 'acts', label: m.acts, content: <OperatorActs operatorId={operator.id} /> }] : []),
      ]}
      onClose={onClose}
    />
  )
}

function Profile({ operator }: { operator: Operator }) {
  const m = useMessages(messages)
  const isMe = useSession((session) => session.uid) === String(operator.id)
  const { group } = operator
  return (
    <Facts
      wide={['remark']}
      of={{
        username: isMe ? `${operator.username}（${m.you}）` : operator.username,
        accountType: <ChoiceLabel choices={accountType} value={operator.accountType} />,
        group: group ? <ReferenceText of={group} to={groupPath(group.id)} /> : m.noGroup,
        secondFactor: <ChoiceLabel choices={secondFactorState} value={operator.secondFactor} />,
        linkedProvider: operator.linkedProvider,
        email: operator.email,
        phone: operator.phone,
        lastSignInAt: <TimeText at={operator.lastSignInAt} />,
        lastSignInIp: operator.lastSignInIp && <span className="sky-mono">{operator.lastSignInIp}</span>,
        createdAt: <TimeText at={operator.createdAt} />,
        updatedAt: <TimeText at={operator.updatedAt} />,
        remark: operator.remark,
      }}
    />
  )
}

function Sessions({ id }: { id: number }) {
  const query = useApiQuery('operatorSessionList', { path: { id } })
  const end = useApiMutation('operatorSessionEnd', { refresh: ['operatorSessionList'] })
  return (
    <SessionTable
      query={query}
      need="operator:signOut"
      onEnd={(sessionId) => end.mutateAsync({ path: { id, sessionId } })}
    />
  )
}

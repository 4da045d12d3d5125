import type { RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { danger } from '@/kit/action'
import { columnsOf } from '@/kit/list/columns'
import { defineFilter, idParam, textParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { StatusTag } from '@/ui/status-tag'
import { useLiveCards } from '../live'
import { useRooms } from '../places'
import { agentMessages, pageMessages } from './messages'

type Agent = RowOf<'roomAgentList'>

const filter = defineFilter({ keyWord: textParam(), roomId: idParam() }, [
  'name',
  'version',
  'address',
  'connectedAt',
  'disconnectedAt',
  'enrolledAt',
])
const c = columnsOf<Agent>()

function State({ agent }: { agent: Agent }) {
  const m = useMessages(agentMessages)
  if (agent.revokedAt) return <StatusTag tone="muted">{m.revoked}</StatusTag>
  return agent.connectedSince ? (
    <StatusTag tone="good">{m.connected}</StatusTag>
  ) : (
    <StatusTag tone="bad">{m.gone}</StatusTag>
  )
}

/** The agents that look after the rooms. */
export default function Agents() {
  const m = useMessages(agentMessages)
  const p = useMessages(pageMessages)
  const list = useList('roomAgentList', filter)
  const rooms = useRooms()
  const revoke = useApiMutation('roomAgentRevoke', { refresh: ['roomAgentList'] })
  // When an agent comes or goes, its cards change.
  useLiveCards(['roomAgentList'])
  const columns = [
    c.text('name', { width: 160, pin: 'start' }),
    c.custom('state', (agent) => <State agent={agent} />, { width: 130 }),
    c.custom('roomId', (agent) => rooms.name(agent.roomId), { width: 200 }),
    c.code('version', { width: 90 }),
    c.code('address', { width: 140 }),
    c.time('connectedAt'),
    c.time('disconnectedAt'),
    c.time('enrolledAt'),
    c.time('revokedAt', { spare: true }),
    c.text('revokedBy', { spare: true }),
  ]
  return (
    <ListPage
      messages={agentMessages}
      list={list}
      columns={columns}
      exports={{ operation: 'roomAgentExport', need: 'roomAgent:export' }}
      nameOf={(agent) => agent.name}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={p.searchAgent} />
          <ChoiceFilter name="roomId" choices={rooms.choices} width={180} />
        </>
      }
      rowActions={(agent) => [
        danger(m.revoke, {
          need: 'roomAgent:revoke',
          blocked: agent.revokedAt ? m.revoked : undefined,
          confirm: m.revokeQuestion,
          run: () => revoke.mutateAsync({ path: { id: agent.id } }),
        }),
      ]}
    />
  )
}

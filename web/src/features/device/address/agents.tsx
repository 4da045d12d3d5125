import type { RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { sorts } from '@/api/words/RoomAgentView'
import { words as standingWords } from '@/api/words/Standing'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { danger } from '@/kit/action'
import { choiceText, defineChoices } from '@/kit/choices'
import { columnsOf } from '@/kit/list/columns'
import { defineFilter, idParam, textParam } from '@/kit/list/filter'
import { TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { ReferenceFilter } from '@/kit/reference/reference-filter'
import { StatusTag } from '@/ui/status-tag'
import { roomPath } from '../links'
import { useLiveCards } from '../live'
import { rooms } from '../places'
import { agentMessages, pageMessages } from './messages'

type Agent = RowOf<'roomAgentList'>

const standing = defineChoices(standingWords)

const filter = defineFilter({ keyWord: textParam(), roomId: idParam() }, sorts)
const c = columnsOf<Agent>()

const columns = [
  c.text('name', { pin: 'start' }),
  c.custom('state', (agent) => <State agent={agent} />, { importance: 4 }),
  c.reference('room', roomPath, { importance: 3 }),
  c.code('version', { importance: 2 }),
  c.code('address', { importance: 2 }),
  c.time('connectedAt', { importance: 1 }),
  c.time('disconnectedAt'),
  c.time('enrolledAt'),
  c.time('revokedAt', { spare: true }),
  c.text('revokedBy', { spare: true }),
]

function State({ agent }: { agent: Agent }) {
  const m = useMessages(agentMessages)
  const language = useLanguage()
  if (agent.revokedAt) return <StatusTag tone="muted">{m.revoked}</StatusTag>
  // It is connected and gets no work: what has to be done is said beside it.
  if (agent.standing !== standing.value.current)
    return (
      <>
        <StatusTag tone="bad">{choiceText(standing, agent.standing, language)}</StatusTag>{' '}
        <span className="sky-soft">{agent.standing === standing.value.behind ? m.behind : m.ahead}</span>
      </>
    )
  return agent.connectedSince ? (
    <StatusTag tone="good">{m.connected}</StatusTag>
  ) : (
    <StatusTag tone="bad">{m.gone}</StatusTag>
  )
}

/** The agents of the rooms. */
export default function Agents() {
  const m = useMessages(agentMessages)
  const p = useMessages(pageMessages)
  const list = useList('roomAgentList', filter)
  const revoke = useApiMutation('roomAgentRevoke', { refresh: ['roomAgentList'] })
  // When an agent comes or goes, its cards change.
  useLiveCards(['roomAgentList'])
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
          <ReferenceFilter name="roomId" source={rooms} width={180} />
        </>
      }
      start={{ to: '/device/address?tab=tokens', label: m.toTokens, need: 'roomAgent:invite' }}
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

import { Link } from 'react-router'
import { useCan } from '@/access/permissions'
import { useApiQuery } from '@/api/query'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { formatDateTime, relativeTime } from '@/rules/format'
import { messages } from './messages'

/** When a room without an agent was last heard of, and where that is set right: its agents, or a token for the first. */
export function AgentFooter({ room }: { room: number }) {
  const m = useMessages(messages)
  const language = useLanguage()
  const enabled = useCan()('roomAgent:list')
  const { data } = useApiQuery('roomAgentList', { query: { roomId: room, pageSize: 100 } }, { enabled })
  const last = data?.list
    .flatMap((agent) => agent.disconnectedAt ?? agent.connectedAt ?? [])
    .toSorted()
    .at(-1)
  const usable = data?.list.some(({ revokedAt }) => !revokedAt)
  return (
    <>
      <span className="panel-worst sky-soft">
        {last
          ? `${m.lastReport(formatDateTime(new Date(last)), relativeTime(new Date(last), new Date(), language))} · `
          : ''}
        {m.noReport}
      </span>
      {data && (
        <Link className="panel-act" to={`/device/address?tab=${usable ? 'agents' : 'tokens'}&roomId=${room}`}>
          {usable ? m.lookAgents : m.startAgent}
        </Link>
      )}
    </>
  )
}

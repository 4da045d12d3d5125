import { Link } from 'react-router'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { formatDateTime, relativeTime } from '@/rules/format'
import type { PlaceNode } from './cells'
import { messages } from './messages'

/** When a room without an agent was last heard of, and where that is set right: its agents, or a token for the first. */
export function AgentFooter({ room }: { room: Pick<PlaceNode, 'id' | 'heard'> }) {
  const m = useMessages(messages)
  const language = useLanguage()
  const { heard } = room
  const last = heard?.at && new Date(heard.at)
  return (
    <>
      <span className="panel-worst sky-soft">
        {last ? `${m.lastReport(formatDateTime(last), relativeTime(last, new Date(), language))} · ` : ''}
        {m.noReport}
      </span>
      {heard && (
        <Link
          className="panel-act"
          to={`/device/address?tab=${heard.usable > 0 ? 'agents' : 'tokens'}&roomId=${room.id}`}
        >
          {heard.usable > 0 ? m.lookAgents : m.startAgent}
        </Link>
      )}
    </>
  )
}

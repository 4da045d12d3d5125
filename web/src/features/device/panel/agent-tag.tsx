import { useMessages } from '@/i18n/messages'
import { StatusTag } from '@/ui/status-tag'
import { messages } from './messages'

/** Whether a room can be reached. */
export function AgentTag({ agents }: { agents: number }) {
  const m = useMessages(messages)
  return <StatusTag tone={agents ? 'good' : 'warn'}>{agents ? m.agents(agents) : m.noAgent}</StatusTag>
}

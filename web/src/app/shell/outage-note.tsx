import { useOutage } from '@/api/outage'
import { useMessages } from '@/i18n/messages'
import { Callout } from '@/ui/callout'
import { messages } from '../messages'

/** Says calmly that the console cannot be reached, for as long as that is so. */
export function OutageNote() {
  const m = useMessages(messages)
  if (!useOutage()) return null
  return (
    <div className="outage-note" role="status">
      <Callout tone="warn" title={m.outage}>
        {m.outageHelp}
      </Callout>
    </div>
  )
}

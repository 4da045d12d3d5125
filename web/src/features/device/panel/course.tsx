import { useState } from 'react'
import { useCan } from '@/access/permissions'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { Sparkline } from '@/kit/chart/sparkline'
import { messages } from './messages'

const day = 24 * 60 * 60_000
/** So many values are as many as the picture has pixels. */
const most = 96

/** How many of a room's cards were in use over the last day, small; nothing where nothing is known. */
export function Course({ room, enabled }: { room: number; enabled: boolean }) {
  const m = useMessages(messages)
  const can = useCan()('deviceMonitor:view')
  const [end] = useState(() => Date.now())
  const query = {
    scope: 'room' as const,
    id: room,
    startTime: new Date(end - day).toISOString(),
    endTime: new Date(end).toISOString(),
  }
  const { data } = useApiQuery('fleetMetrics', { query }, { enabled: enabled && can, suppressNotice: true })
  const points = data?.place ?? []
  if (points.length < 2) return null
  const step = Math.ceil(points.length / most)
  const values = points.filter((_, at) => at % step === 0).map(({ inUse }) => inUse)
  return (
    <div className="panel-course">
      <span>{m.course}</span>
      <Sparkline values={values} />
    </div>
  )
}

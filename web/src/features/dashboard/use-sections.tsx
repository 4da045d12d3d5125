import type { ReactNode } from 'react'
import { useCan } from '@/access/permissions'
import { useMessages } from '@/i18n/messages'
import { Attention } from './attention'
import type { Dashboard } from './data'
import { FleetCurve } from './fleet-curve'
import { CustomerTiles, FleetTiles, WorkTiles } from './groups'
import { messages } from './messages'
import { phoneMessages } from './phone-messages'
import { PhoneTiles, PhoneTrend } from './phones'
import { RoomHealth } from './rooms'
import { Running } from './running'
import { Section } from './section'
import { DayButtons, Trend } from './trend'

export interface DashboardSection {
  id: string
  title: string
  content: ReactNode
}

/** The sections that this operator may see, in their usual order. What he may not see asks the server for nothing. */
export function useSections(data: Dashboard): DashboardSection[] {
  const m = useMessages(messages)
  const words = useMessages(phoneMessages)
  const can = useCan()
  const { fleet } = data
  const all: (Omit<DashboardSection, 'content'> & {
    more?: readonly [string, string]
    tools?: ReactNode
    body: ReactNode
  })[] = [
    { id: 'attention', title: m.attention, body: <Attention /> },
    {
      id: 'rooms',
      title: m.health,
      more: ['/device/panel', m.panel],
      body: can('devicePanel:view') && <RoomHealth />,
    },
    {
      id: 'phones',
      title: words.title,
      body: (can('phone:list') || can('storage:list')) && <PhoneTiles />,
    },
    { id: 'fleet', title: m.fleet, body: fleet && <FleetTiles fleet={fleet} /> },
    { id: 'work', title: m.work, body: <WorkTiles data={data} /> },
    { id: 'customers', title: m.customers, body: <CustomerTiles data={data} /> },
    { id: 'curve', title: m.curve, body: can('deviceMonitor:view') && <FleetCurve /> },
    {
      id: 'running',
      title: m.running,
      more: ['/device/operations', m.all],
      body: can('operation:list') && <Running />,
    },
    { id: 'trend', title: m.trend, tools: <DayButtons />, body: <Trend trend={data.trend} /> },
    { id: 'phoneTrend', title: words.trend, body: can('phone:list') && <PhoneTrend /> },
  ]
  return all
    .filter(({ body }) => Boolean(body))
    .map(({ id, title, body, ...rest }) => ({
      id,
      title,
      // What needs attention counts in its heading.
      content:
        id === 'attention' ? (
          body
        ) : (
          <Section id={id} title={title} {...rest}>
            {body}
          </Section>
        ),
    }))
}

import type { DataOf, RowOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import type { Action } from '@/kit/action'
import { ChoiceLabel } from '@/kit/choices'
import { DetailDrawer } from '@/kit/detail/detail-drawer'
import { Facts } from '@/kit/detail/facts'
import { ReferenceText } from '@/kit/reference/reference-text'
import { TimeText } from '@/kit/time-text'
import { grouped } from '@/rules/format'
import { deliveryState, hookEvent, hookFailure } from '../../choices'
import { deliveryMessages } from '../messages'

type Delivery = DataOf<'openDeliveryGet'>

interface DetailProps {
  id: number
  acts: (delivery: RowOf<'openDeliveryList'>) => readonly Action[]
  onClose: () => void
}

/** Something that an application was told: what was sent, and what was answered last. */
export default function DeliveryDetail({ id, acts, onClose }: DetailProps) {
  const m = useMessages(deliveryMessages)
  const query = useApiQuery('openDeliveryGet', { path: { id } })
  return (
    <DetailDrawer
      messages={deliveryMessages}
      query={query}
      title={({ delivery: { event, subject } }) => `${event} · ${subject}`}
      status={({ delivery }) => <ChoiceLabel choices={deliveryState} value={delivery.state} />}
      name={({ delivery: { event, subject } }) => `${event} ${subject}`}
      logged={({ delivery }) => ({ kind: 'openDelivery', id: delivery.id })}
      actions={({ delivery }) => acts(delivery)}
      tabs={(told) => [
        { key: 'overview', label: m.overview, content: <Overview told={told} /> },
        { key: 'payload', label: m.payload, content: <Letters label={m.payload} text={told.payload} /> },
        {
          key: 'answer',
          label: m.answer,
          content: told.answer ? (
            <Letters label={m.answer} text={told.answer} />
          ) : (
            <p className="sky-soft">{m.noAnswer}</p>
          ),
        },
      ]}
      onClose={onClose}
    />
  )
}

function Overview({ told: { delivery } }: { told: Delivery }) {
  const { kind, app, tries, status, failure, millis, createdAt, triedAt, nextAt, deliveredAt, eventId } = delivery
  return (
    <Facts
      wide={['eventId']}
      of={{
        kind: <ChoiceLabel choices={hookEvent} value={kind} />,
        app: <ReferenceText of={app} />,
        createdAt: <TimeText at={createdAt} />,
        tries: grouped(tries),
        status: typeof status === 'number' ? String(status) : undefined,
        failure: typeof failure === 'number' ? <ChoiceLabel choices={hookFailure} value={failure} /> : undefined,
        millis: grouped(millis),
        triedAt: <TimeText at={triedAt ?? null} />,
        nextAt: <TimeText at={nextAt ?? null} />,
        deliveredAt: <TimeText at={deliveredAt ?? null} />,
        eventId: <span className="sky-mono">{eventId}</span>,
      }}
    />
  )
}

/** As it went over the line. */
function Letters({ label, text }: { label: string; text: string }) {
  return (
    <section aria-label={label}>
      <pre className="sky-mono sky-typed">{text}</pre>
    </section>
  )
}

import { usePreference } from '@/access/preferences'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { statusKeys } from '../counts'
import { NoRooms } from '../no-rooms'
import type { PlaceNode } from './cells'
import { Legend } from './legend'
import { messages } from './messages'
import { RoomCard } from './room-card'
import { useOnly } from './use-only'

const attentionOf = ({ counts }: PlaceNode) => counts.fault + counts.offline

/** Every room with its frames; a status of the legend alone, and those first that somebody has to see to. */
export function Overview({ places }: { places: readonly PlaceNode[] }) {
  const m = useMessages(messages)
  const language = useLanguage()
  const [only, choose] = useOnly()
  const [order, setOrder] = usePreference<'worst' | 'name'>('devicePanel.order', 'worst')
  const rooms = places.filter(({ kind }) => kind === 'room')
  if (rooms.length === 0) return <NoRooms />
  const byName = rooms.toSorted((a, b) => a.name.localeCompare(b.name, language))
  const shown = order === 'name' ? byName : byName.toSorted((a, b) => attentionOf(b) - attentionOf(a))
  const orders = [
    ['worst', m.worstFirst],
    ['name', m.byName],
  ] as const
  return (
    <>
      <div className="panel-overview-head">
        <Legend
          count={(status) =>
            rooms.reduce((sum, { counts }) => sum + counts[statusKeys[status as keyof typeof statusKeys]], 0)
          }
          only={only}
          onChoose={choose}
        />
        <span className="kit-gap" />
        {/* biome-ignore lint/a11y/useSemanticElements: two buttons of a kind need no fieldset */}
        <span className="panel-orders" role="group" aria-label={m.order}>
          {orders.map(([key, label]) => (
            <button key={key} type="button" aria-pressed={order === key} onClick={() => setOrder(key)}>
              {label}
            </button>
          ))}
        </span>
      </div>
      <ul className="panel-rooms">
        {shown.map((room) => (
          <RoomCard
            key={room.id}
            room={room}
            frames={places.filter(({ kind, parentId }) => kind === 'frame' && parentId === room.id)}
            only={only}
          />
        ))}
      </ul>
    </>
  )
}

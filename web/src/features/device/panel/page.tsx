import '@/kit/kit.css'
import './panel.css'
import './racks.css'
import { useSearchParams } from 'react-router'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { Loaded } from '@/kit/loaded'
import { useLiveCells } from './cells'
import { messages } from './messages'
import { Overview } from './overview'
import { RoomPanel } from './room'

/** The rooms side by side, and each as its racks stand. The address says which room is open. */
export default function PanelPage() {
  const m = useMessages(messages)
  const [search] = useSearchParams()
  const places = useApiQuery('fleetTree', { query: { whole: true } })
  useLiveCells()
  return (
    <section className="panel-screen" aria-label={m.title}>
      <Loaded query={places}>
        {(found) => {
          const room = found.find(({ kind, id }) => kind === 'room' && String(id) === search.get('room'))
          return room ? <RoomPanel key={room.id} room={room} /> : <Overview places={found} />
        }}
      </Loaded>
    </section>
  )
}

import '@/kit/kit.css'
import './panel.css'
import './racks.css'
import { useSearchParams } from 'react-router'
import { useScreenTitle } from '@/access/titles'
import { useApiQuery } from '@/api/query'
import { Loaded } from '@/kit/loaded'
import { useLiveCells } from './cells'
import { Overview } from './overview'
import { RoomPanel } from './room'

/** The rooms side by side, and each as its racks stand. The address says which room is open. */
export default function PanelPage() {
  const title = useScreenTitle()
  const [search] = useSearchParams()
  const places = useApiQuery('fleetTree', { query: { whole: true } })
  useLiveCells()
  return (
    <section className="panel-screen" aria-label={title}>
      <Loaded query={places}>
        {(found) => {
          const room = found.find(({ kind, id }) => kind === 'room' && String(id) === search.get('room'))
          return room ? <RoomPanel key={room.id} room={room} /> : <Overview places={found} />
        }}
      </Loaded>
    </section>
  )
}

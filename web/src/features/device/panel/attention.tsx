import { useMessages } from '@/i18n/messages'
import { ChoiceLabel } from '@/kit/choices'
import { grouped } from '@/rules/format'
import { runStatus } from '../choices'
import { type CardCell, hostsOf, isTrouble, type PlaceNode, statusOf } from './cells'
import { messages } from './messages'

/** So many are written out; who has more begins with the racks. */
const most = 100

interface AttentionProps {
  nodes: readonly PlaceNode[]
  cards: readonly CardCell[]
  onOpen: (id: number) => void
}

/** What somebody has to see to in a room; it keeps the place of the detail, so that the racks never move. */
export function Attention({ nodes, cards, onOpen }: AttentionProps) {
  const m = useMessages(messages)
  const hosts = new Map(hostsOf(nodes).map((host) => [host.id, host]))
  const frames = new Map(nodes.filter(({ kind }) => kind === 'frame').map(({ id, name }) => [id, name]))
  const wrong = cards
    .filter((card) => isTrouble(card.runStatus))
    .sort((a, b) => Number(b.runStatus === statusOf.fault) - Number(a.runStatus === statusOf.fault))
  return (
    <aside className="panel-aside" aria-label={m.attention}>
      <header>
        <strong>{m.attention}</strong>
        <span className="sky-soft">{grouped(wrong.length)}</span>
      </header>
      <div className="panel-aside-body">
        {wrong.length === 0 && <p className="sky-soft">{m.allWell}</p>}
        <ul className="panel-wrong">
          {wrong.slice(0, most).map((card) => {
            const host = hosts.get(card.hostId)
            return (
              <li key={card.id}>
                <ChoiceLabel choices={runStatus} value={card.runStatus} />
                <button type="button" className="sky-link" onClick={() => onOpen(card.id)}>
                  {`${frames.get(host?.frame ?? 0) ?? ''} ${host?.name ?? ''} · ${m.position(card.position)}`}
                </button>
              </li>
            )
          })}
        </ul>
        {wrong.length > most && <p className="sky-soft">{m.more(grouped(wrong.length - most))}</p>}
      </div>
    </aside>
  )
}

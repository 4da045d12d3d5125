import { useCan } from '@/access/permissions'
import { useApiQuery } from '@/api/query'
import { words as cardWords } from '@/api/words/CardView'
import { useLanguage } from '@/i18n/language'
import { inLanguage, useMessages } from '@/i18n/messages'
import { ChoiceLabel } from '@/kit/choices'
import { formatDateTime, relativeTime } from '@/rules/format'
import { runStatus } from '../choices'
import type { CardCell } from './cells'
import type { Cell } from './layout'
import { messages } from './messages'

/** How wide the card is, as in `panel.css`, how high at most, and how far from the cell. */
const [width, height, distance] = [296, 192, 8]

interface HoverCardProps {
  cell: Cell
  card: CardCell
  host: string
  /** How wide the racks are, and how much of the window is below their upper edge. */
  room: { width: number; below: number }
}

/** What a card is, beside its cell and never over it; the pointer goes through it. */
export function HoverCard({ cell, card, host, room }: HoverCardProps) {
  const m = useMessages(messages)
  const language = useLanguage()
  const can = useCan()
  const settings = { enabled: can('device:get'), staleTime: 10_000, suppressNotice: true }
  const { data } = useApiQuery('cardGet', { path: { id: card.id } }, settings)
  const right = cell.x + cell.width + distance
  const fits = right + width <= room.width
  const isLow = cell.y + height > room.below
  const since = data && data.runStatus === card.runStatus ? new Date(data.runSince) : undefined
  return (
    <aside
      className="panel-hover"
      style={{
        left: fits ? right : Math.max(0, cell.x - width - distance),
        top: isLow ? cell.y + cell.height : cell.y,
        transform: isLow ? 'translateY(-100%)' : undefined,
      }}
      aria-label={m.hovered}
    >
      <span className="panel-hover-head">
        <ChoiceLabel choices={runStatus} value={card.runStatus} />
        {since && (
          <span className="sky-soft" title={formatDateTime(since)}>
            {m.since(relativeTime(since, new Date(), language))}
          </span>
        )}
      </span>
      {data && <span className="sky-mono">{`${data.intranetIp}:${data.adbPort}`}</span>}
      <span className="sky-soft">
        {`${host} · ${inLanguage(cardWords.position, language)} ${cell.position}`}
        {data?.model && ` · ${data.model}`}
      </span>
      {data?.phone && <span className="sky-mono">{data.phone.name}</span>}
      {data?.faultReason && <span className="panel-bad">{data.faultReason}</span>}
      <span className="sky-soft panel-hover-foot">{m.hoverHint}</span>
    </aside>
  )
}

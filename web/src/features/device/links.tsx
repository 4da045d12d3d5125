import { Link } from 'react-router'

/** Where a card is seen. */
export const cardPath = (id: number | string) => `/device/management?detail=${id}`

/** A card's address, leading to its detail. */
export function CardLink({ id, name }: { id: number; name: string }) {
  return (
    <Link className="sky-link sky-mono" to={cardPath(id)}>
      {name}
    </Link>
  )
}

/** Where a room is seen: its racks on the panel. */
export const roomPath = (id: number | string) => `/device/panel?room=${id}`

/** Where a frame is seen: the cards in it. */
export const framePath = (id: number | string) => `/device/management?frameId=${id}`

/** A number of cards, leading to the list of them. */
export function CardsLink({ filter, children }: { filter: Record<string, number | boolean>; children: string }) {
  const search = new URLSearchParams(Object.entries(filter).map(([key, value]) => [key, String(value)]))
  return (
    <Link className="sky-link" to={`/device/management?${search}`}>
      {children}
    </Link>
  )
}

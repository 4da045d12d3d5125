import { Link } from 'react-router'
import { useCan } from '@/access/permissions'
import type { Code } from '@/api/codes'
import { Sparkline } from '@/kit/chart/sparkline'
import { grouped } from '@/rules/format'

export interface Tile {
  label: string
  value: number
  /** Where the number comes from; a link for those who may go there. */
  to: string
  need: Code
  /** What it is a part of, or compared with. */
  note?: string
  /** Its course so far. */
  course?: readonly (number | null)[] | undefined
  /** It needs attention: at once, or some time. */
  tone?: 'bad' | 'warn' | undefined
}

/** Numbers of one kind, each leading to what it counts. */
export function Tiles({ tiles }: { tiles: readonly Tile[] }) {
  return (
    <div className="dashboard-tiles">
      {tiles.map((tile) => (
        <TileCard key={tile.label} tile={tile} />
      ))}
    </div>
  )
}

function TileCard({ tile }: { tile: Tile }) {
  const can = useCan()
  const content = (
    <>
      <span className="dashboard-label" title={tile.label}>
        {tile.label}
      </span>
      <strong data-tone={tile.tone}>{grouped(tile.value)}</strong>
      {tile.note && <small>{tile.note}</small>}
      {tile.course && <Sparkline values={tile.course} />}
    </>
  )
  return can(tile.need) ? (
    <Link className="dashboard-tile" to={tile.to}>
      {content}
    </Link>
  ) : (
    <div className="dashboard-tile">{content}</div>
  )
}

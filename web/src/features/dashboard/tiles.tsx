import { Link } from 'react-router'
import { useCan } from '@/access/permissions'
import type { Code } from '@/api/codes'
import { Sparkline } from '@/kit/chart/sparkline'
import { grouped } from '@/rules/format'

export interface Tile {
  label: string
  /** What exactly is counted, where the label alone does not say it. */
  tip?: string
  value: number
  /** What follows the number. */
  unit?: string
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
      <span className="dashboard-label" title={tile.tip ? undefined : tile.label}>
        {tile.label}
      </span>
      <strong data-tone={tile.tone}>{`${grouped(tile.value)}${tile.unit ?? ''}`}</strong>
      {tile.note && <small title={tile.tip ? undefined : tile.note}>{tile.note}</small>}
      {tile.course && <Sparkline values={tile.course} />}
    </>
  )
  return can(tile.need) ? (
    <Link className="dashboard-tile" to={tile.to} title={tile.tip}>
      {content}
    </Link>
  ) : (
    <div className="dashboard-tile" title={tile.tip}>
      {content}
    </div>
  )
}

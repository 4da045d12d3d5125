import { levelOf, type Point, toneOf, troubled } from './level'

/** One shape a level, so that it can be told without its colour. */
const shapes = {
  good: 'M0,-0.45A0.45,0.45 0 1 1 0,0.45A0.45,0.45 0 1 1 0,-0.45Z',
  some: 'M0,-0.55L0.5,0.4L-0.5,0.4Z',
  many: 'M-0.42,-0.42L0.42,-0.42L0.42,0.42L-0.42,0.42Z',
  away: 'M-0.5,-0.12L0.5,-0.12L0.5,0.12L-0.5,0.12Z',
} as const

const radius = 0.85
const round = 2 * Math.PI * radius

/** A room on the map: a ring whose red part is the share of cards in trouble, and a sign for how it is. */
export function RoomMark({ point, size }: { point: Point; size: number }) {
  const level = levelOf(point)
  const share = point.counts.total === 0 ? 0 : troubled(point) / point.counts.total
  // A card in a thousand is to be seen as well.
  const red = share === 0 ? 0 : Math.max(0.04, share)
  return (
    <g transform={`scale(${size})`} className={`device-map-mark sky-tone-${toneOf[level]}`}>
      <circle r={1.1} className="device-map-disk" />
      <circle r={radius} className="device-map-ring" data-away={level === 'away' || undefined} />
      {red > 0 && (
        <circle
          r={radius}
          className="device-map-trouble"
          data-away={level === 'away' || undefined}
          strokeDasharray={`${red * round} ${round}`}
          transform="rotate(-90)"
        />
      )}
      <path d={shapes[level]} />
    </g>
  )
}

import type { Look } from './looks'

/** A piece of a line, as it is drawn. */
export function Stroke({ look: { colour, dash, width } }: { look: Look }) {
  return (
    <svg width={28} height={8} aria-hidden>
      <line
        x1={0}
        x2={28}
        y1={4}
        y2={4}
        style={{ stroke: colour, strokeWidth: width, strokeDasharray: dash.join(' ') }}
      />
    </svg>
  )
}

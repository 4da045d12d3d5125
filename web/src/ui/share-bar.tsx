import './share-bar.css'

/** How much of something is used, from 0 to 1: a small bar beside the figures, red once it is nearly full. */
export function ShareBar({ share, nearly = 0.9 }: { share: number; nearly?: number }) {
  const shown = Math.max(0, Math.min(1, share))
  return (
    <span className="sky-share" data-full={shown >= nearly || undefined} aria-hidden>
      <span style={{ width: `${Math.round(shown * 100)}%` }} />
    </span>
  )
}

/** How much of the width each line of contents takes. */
const lines = [32, 84, 68, 91, 54, 76]

/**
 * What stands where contents will be: grey lines, which appear late, because a quick answer must not flicker. `label`
 * is what a screen reader hears.
 */
export function Skeleton({ label }: { label: string }) {
  return (
    <div className="sky-skeleton" role="status" aria-label={label}>
      {lines.map((width) => (
        <span key={width} style={{ width: `${width}%` }} />
      ))}
    </div>
  )
}

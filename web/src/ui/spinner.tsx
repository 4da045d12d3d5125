/** A loading indicator; `label` is what a screen reader hears. */
export function Spinner({ label }: { label: string }) {
  return (
    <div className="sky-spinner-box" role="status" aria-label={label}>
      <span className="sky-spinner" aria-hidden />
    </div>
  )
}

import { lazy, Suspense } from 'react'

const Reason = lazy(() => import('./reason-input'))

/** Asks why. Loaded with the dialog that it stands in, so that a list does not carry the form library. */
export function ReasonField({ name = 'reason', optional = false }: { name?: string; optional?: boolean }) {
  return (
    <Suspense>
      <Reason name={name} optional={optional} />
    </Suspense>
  )
}

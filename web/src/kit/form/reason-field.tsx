import { lazy } from 'react'

const Reason = lazy(() => import('./reason-input'))

/** Asks why, in a dialog. Loaded with it, so that a list does not carry the form library. */
export function ReasonField({ name = 'reason', optional = false }: { name?: string; optional?: boolean }) {
  return <Reason name={name} optional={optional} />
}

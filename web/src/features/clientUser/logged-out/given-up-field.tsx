import { lazy } from 'react'

const GivenUp = lazy(() => import('./given-up-input'))

/** Asks where a customer gives up what coins are left. Loaded with the dialog, so that the list does not carry the form library. */
export function GivenUpField() {
  return <GivenUp />
}

import { lazy } from 'react'

const Fields = lazy(() => import('./place-inputs'))

/** Where a card goes: frame, host and position of a room. For dialogs; loaded with them. */
export function PlaceFields(props: { room?: number }) {
  return <Fields {...props} />
}

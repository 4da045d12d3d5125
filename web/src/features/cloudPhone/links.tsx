import { lazy } from 'react'
import { Link } from 'react-router'

/** Where one phone is seen. */
export const phonePath = (id: number | string) => `/cloudPhone/list/${id}`

/** A phone by its code, leading to its page. */
export function PhoneLink({ id, code }: { id: number; code?: string | null | undefined }) {
  return (
    <Link className="sky-link sky-mono" to={phonePath(id)}>
      {code ?? String(id)}
    </Link>
  )
}

/** The phones of one user, for his detail. */
export const PhonesOfUser = lazy(() => import('./list/of-user'))

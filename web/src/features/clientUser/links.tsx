import { Link } from 'react-router'

/** Where a customer is seen. */
export const clientUserPath = (id: number | string) => `/clientUser?detail=${id}`

/** The name of a customer, leading to his detail. */
export function ClientUserLink({ id, name }: { id: number; name: string }) {
  return (
    <Link className="sky-link" to={clientUserPath(id)}>
      {name}
    </Link>
  )
}

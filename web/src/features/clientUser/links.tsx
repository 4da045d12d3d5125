import { Link } from 'react-router'

/** The name of a customer, leading to his detail. */
export function ClientUserLink({ id, name }: { id: number; name: string }) {
  return (
    <Link className="sky-link" to={`/clientUser?detail=${id}`}>
      {name}
    </Link>
  )
}

import { Link } from 'react-router'

/** The name of an operator, leading to his detail. */
export function OperatorLink({ id, name }: { id: number; name: string }) {
  return (
    <Link className="sky-link" to={`/user/management?detail=${id}`}>
      {name}
    </Link>
  )
}

/** Where a permission group is seen: what it holds. */
export const groupPath = (id: number | string) => `/user/groups?detail=${id}`

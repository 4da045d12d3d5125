import { Link } from 'react-router'

/** The name of an operator, leading to his detail. */
export function OperatorLink({ id, name }: { id: number; name: string }) {
  return (
    <Link className="sky-link" to={`/user/management?detail=${id}`}>
      {name}
    </Link>
  )
}

/** The name of a permission group, leading to what it holds. */
export function GroupLink({ id, name }: { id: number; name: string }) {
  return (
    <Link className="sky-link" to={`/user/groups?detail=${id}`}>
      {name}
    </Link>
  )
}

import { Link } from 'react-router'
import { phonePath } from '../../cloudPhone/links'
import { cardPath } from '../links'
import { operationTarget } from './choices'

interface Target {
  id: number
  name?: string | null | undefined
}

const { card, phone } = operationTarget.value
const seen: Readonly<Record<number, { one: (id: number) => string; all: string }>> = {
  [card]: { one: cardPath, all: '/device/management' },
  [phone]: { one: phonePath, all: '/cloudPhone/list' },
}

/** What an operation is done to, leading to its detail. */
export function TargetLink({ kind, target: { id, name } }: { kind: number; target: Target }) {
  return (
    <Link className="sky-link sky-mono" to={seen[kind]?.one(id) ?? ''}>
      {name ?? String(id)}
    </Link>
  )
}

interface TargetsLinkProps {
  kind: number
  filter: Readonly<Record<string, unknown>>
  children: string
}

/** What an operation was begun on, leading to the list of what matches that today. */
export function TargetsLink({ kind, filter, children }: TargetsLinkProps) {
  const wanted = Object.entries(filter).filter(([, value]) => value != null)
  const search = new URLSearchParams(wanted.map(([key, value]) => [key, String(value)]))
  return (
    <Link className="sky-link" to={`${seen[kind]?.all ?? ''}?${search}`}>
      {children}
    </Link>
  )
}

import { Link } from 'react-router'
import { useMessages } from '@/i18n/messages'
import { referenceMessages } from './reference-messages'
import type { Reference } from './source'

interface ReferenceTextProps {
  of: Reference | null | undefined
  to?: string | undefined
  /** It is called by an address or a number of ours. */
  isCode?: boolean
}

/** The name of another thing, leading to it where there is a way; what is gone says so. */
export function ReferenceText({ of, to, isCode = false }: ReferenceTextProps) {
  const m = useMessages(referenceMessages)
  if (!of) return <span className="sky-soft">—</span>
  if (typeof of.name !== 'string') return <span className="sky-soft">{m.gone(String(of.id))}</span>
  if (to === undefined)
    return (
      <span className={isCode ? 'sky-mono' : undefined} title={of.name}>
        {of.name}
      </span>
    )
  return (
    <Link className={isCode ? 'sky-link sky-mono' : 'sky-link'} to={to} title={of.name}>
      {of.name}
    </Link>
  )
}

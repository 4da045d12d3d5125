import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'

const name = 'detail'

/** Which row's detail is open, as the address says, and how to open and close it. */
export function useDetail() {
  const [search, setSearch] = useSearchParams()
  const change = (id: string | undefined) =>
    setSearch(
      (now) => {
        const next = new URLSearchParams(now)
        if (id === undefined) next.delete(name)
        else next.set(name, id)
        return next
      },
      { replace: true, preventScrollReset: true },
    )
  return { id: search.get(name) ?? undefined, open: change, close: () => change(undefined) }
}

/** A link to this same list with one row's detail open: it can be copied, and opened in another tab. */
export function DetailLink({ id, children }: { id: string | number; children: ReactNode }) {
  const [search] = useSearchParams()
  const next = new URLSearchParams(search)
  next.set(name, String(id))
  return (
    <Link className="sky-link" to={{ search: next.toString() }} preventScrollReset replace>
      {children}
    </Link>
  )
}

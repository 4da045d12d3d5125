import { createContext, type ReactNode, use } from 'react'
import { Link, useSearchParams } from 'react-router'
import { detailName as name } from './look'

/** Says which part of the detail is shown. */
export const partName = 'part'

/** Which row's detail is open, as the address says, and how to open and close it. */
export function useDetail() {
  const [search, setSearch] = useSearchParams()
  const change = (id: string | undefined) =>
    setSearch(
      (now) => {
        const next = new URLSearchParams(now)
        if (id !== undefined) next.set(name, id)
        else for (const each of [name, partName]) next.delete(each)
        return next
      },
      { replace: true, preventScrollReset: true },
    )
  return { id: search.get(name) ?? undefined, open: change, close: () => change(undefined) }
}

/** Where the details of a list are, if each is a page of its own. */
export const DetailPath = createContext<((id: string | number) => string) | undefined>(undefined)

interface DetailLinkProps {
  id: string | number
  /** What a cell that is too narrow keeps from view. */
  title?: string
  children: ReactNode
}

/** A link to one row's detail, beside this same list or as a page: it can be copied, and opened in another tab. */
export function DetailLink({ id, title, children }: DetailLinkProps) {
  const [search] = useSearchParams()
  const pathOf = use(DetailPath)
  if (pathOf)
    return (
      <Link className="sky-link" to={pathOf(id)} title={title}>
        {children}
      </Link>
    )
  const next = new URLSearchParams(search)
  next.set(name, String(id))
  return (
    <Link className="sky-link" title={title} to={{ search: next.toString() }} preventScrollReset replace>
      {children}
    </Link>
  )
}

import { type RefObject, useRef, useState } from 'react'
import { contentWidths, type Needed } from './content-widths'

/** Widths that tables needed before, by what they remember them as: the next visit does not begin with a guess. */
const remembered = new Map<string, Map<string, Needed>>()

function rememberedAs(memory: string) {
  const known = remembered.get(memory) ?? new Map<string, Needed>()
  remembered.set(memory, known)
  return known
}

interface Titled {
  key: string
  title: string
}

/** The same column in another language holds other words. */
const nameOf = ({ key, title }: Titled) => `${key} ${title}`

/** What the columns of a table need, as far as they have been in the page; tables of one `memory` share it. */
export function useContentWidths(scroll: RefObject<HTMLElement | null>, memory: string | undefined) {
  const own = useRef(new Map<string, Needed>())
  const known = memory === undefined ? own.current : rememberedAs(memory)
  const [version, setVersion] = useState(0)

  /** Looks at the rows in the page, before they are painted. The first `others` columns of the table are none of these. */
  const measure = (columns: readonly Titled[], others: number) => {
    const box = scroll.current
    const table = box?.querySelector('table')
    if (!table?.offsetWidth) return
    const { scrollLeft = 0 } = box ?? {}
    const now = contentWidths(table).slice(others)
    // A narrower table scrolls less far; it is as wide again, and stands where it stood.
    if (scrollLeft > 0) box?.scrollTo({ left: scrollLeft })
    let hasGrown = false
    for (const [at, column] of columns.entries()) {
      const { head, all } = now[at] ?? { head: 0, all: 0 }
      const before = known.get(nameOf(column))
      // They only grow: the next page must not push the columns to and fro.
      const needed = { head: Math.max(head, before?.head ?? 0), all: Math.max(all, before?.all ?? 0) }
      if (needed.head === before?.head && needed.all === before.all) continue
      known.set(nameOf(column), needed)
      hasGrown = true
    }
    if (hasGrown) setVersion((seen) => seen + 1)
  }

  return { version, needOf: (column: Titled) => known.get(nameOf(column)), measure }
}

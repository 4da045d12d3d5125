import { type RefObject, useRef, useState } from 'react'
import { contentWidths, type Needed } from './content-widths'
import type { TableMemory } from './table-memory'

/** What a column needs. `isOld` is from an earlier visit, and nothing of it has been in this page yet. */
interface Known extends Needed {
  isOld?: boolean
}

/** Widths that tables needed before, by their names: the next visit does not begin with a guess. */
const remembered = new Map<string, Map<string, Known>>()

function rememberedAs({ name, before }: TableMemory) {
  const known = remembered.get(name) ?? new Map<string, Known>()
  if (remembered.has(name)) return known
  for (const [column, needed] of Object.entries(before?.columns ?? {})) known.set(column, { ...needed, isOld: true })
  remembered.set(name, known)
  return known
}

interface Titled {
  key: string
  title: string
}

/** The same column in another language holds other words. */
const nameOf = ({ key, title }: Titled) => `${key} ${title}`

/** What the columns of a table need, as far as they have been in the page; tables of one `memory` share it. */
export function useContentWidths(scroll: RefObject<HTMLElement | null>, memory: TableMemory | undefined) {
  const own = useRef(new Map<string, Known>())
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
    let hasChanged = false
    for (const [at, column] of columns.entries()) {
      const { head, all } = now[at] ?? { head: 0, all: 0 }
      const before = known.get(nameOf(column))
      // They only grow: the next page must not push the columns to and fro. What was here another day says nothing of today.
      const least = before?.isOld ? undefined : before
      const needed = { head: Math.max(head, least?.head ?? 0), all: Math.max(all, least?.all ?? 0) }
      known.set(nameOf(column), needed)
      if (needed.head !== before?.head || needed.all !== before.all) hasChanged = true
    }
    if (hasChanged) setVersion((seen) => seen + 1)
  }

  const needs = () => Object.fromEntries([...known].map(([column, { head, all }]) => [column, { head, all }]))
  return { version, needOf: (column: Titled) => known.get(nameOf(column)), measure, needs }
}

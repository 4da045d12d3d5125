import { useRef, useState } from 'react'
import { useLanguage } from '@/i18n/language'

/** Until the first rows are there. */
const guess = 120
/** Room for the heading. */
const least = 64
/** Both sides of a cell. */
const padding = 21

/** What lists needed before, so that the next visit does not begin with a guess. */
const known = new Map<string, number>()

/**
 * How wide the column of the acts has to be: as wide as the widest row needs it, in this language, to this person.
 * The last of the three measures; whoever draws the rows calls it once they are in the page.
 */
export function useActsWidth(operation: string) {
  const table = useRef<HTMLDivElement>(null)
  const name = `${operation} ${useLanguage()}`
  const [, setSeen] = useState(0)

  const fit = () => {
    const acts = [...(table.current?.querySelectorAll<HTMLElement>('.kit-row-acts') ?? [])]
    const widest = Math.max(0, ...acts.map((each) => each.offsetWidth))
    // It only grows: the next page must not push the columns to and fro.
    const needed = Math.max(least, widest + padding, known.get(name) ?? 0)
    if (widest === 0 || needed === known.get(name)) return
    known.set(name, needed)
    setSeen(needed)
  }

  return [table, known.get(name) ?? guess, fit] as const
}

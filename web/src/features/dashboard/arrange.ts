/** How an operator has arranged the dashboard: what he has moved and what he has hidden. */
export interface Arrangement {
  order: readonly string[]
  hidden: readonly string[]
}

/** What the window has room for. Trends of days and of hours are for those who want them. */
export const untouched: Arrangement = { order: [], hidden: ['trend', 'phoneTrend'] }

/** Of how many columns a row of sections is made. */
const columns = 24
const spans: Record<string, number> = {
  attention: 13,
  rooms: 11,
  fleet: 8,
  work: 8,
  customers: 8,
  curve: 16,
  running: 8,
}
/** These are as high as their figures; the others share the height that is left. */
const low = ['phones', 'fleet', 'work', 'customers']

export interface Placed<T> {
  span: number
  section: T
}

/** Sections in rows, as many side by side as there is room for. A row that holds something high grows with the window. */
export function rowsOf<T extends { id: string }>(sections: readonly T[]): { grows: boolean; placed: Placed<T>[] }[] {
  const rows: { grows: boolean; placed: Placed<T>[] }[] = []
  let room = 0
  for (const section of sections) {
    const span = spans[section.id] ?? columns
    let row = rows.at(-1)
    if (!row || span > room) {
      row = { grows: false, placed: [] }
      rows.push(row)
      room = columns
    }
    row.placed.push({ span, section })
    row.grows ||= !low.includes(section.id)
    room -= span
  }
  return rows
}

/**
 * Sections in the operator's order. One that he has not arranged yet, because it is new or he was not allowed to see
 * it, follows the one that it follows by default.
 */
export function arranged<T extends { id: string }>(sections: readonly T[], order: readonly string[]): T[] {
  const kept = order.flatMap((id) => sections.find((section) => section.id === id) ?? [])
  sections.forEach((section, at) => {
    if (kept.includes(section)) return
    const before = sections[at - 1]
    kept.splice(before ? kept.indexOf(before) + 1 : 0, 0, section)
  })
  return kept
}

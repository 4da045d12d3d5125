/** Both sides of a heading, which are not its words; as in ui.css. */
const sides = 20

/** What a column needs to be seen whole, in pixels. */
export interface Needed {
  /** Its heading alone. */
  head: number
  /** The widest of its cells, the heading among them. */
  all: number
}

/**
 * How wide the columns of a table would be if nothing held them. The browser reckons it, so that a cell may hold what
 * it likes: a bar that fills its cell counts with what it has at least.
 */
export function contentWidths(table: HTMLTableElement): Needed[] {
  table.dataset.natural = ''
  const needed = [...(table.tHead?.rows[0]?.cells ?? [])].map((cell) => ({
    head: Math.ceil(cell.firstElementChild?.getBoundingClientRect().width ?? 0) + sides,
    all: Math.ceil(cell.getBoundingClientRect().width),
  }))
  delete table.dataset.natural
  return needed
}

/** What the fitting asks of a column. */
interface Fitting {
  key: string
  width: number
  pin?: 'start' | 'end'
  importance?: number
  /** Has its width whatever room there is. */
  exact?: boolean
}

/**
 * The columns that fit into so many pixels. What matters least goes first, among equals the rightmost; pinned columns
 * and `keep` always stay. Zero pixels means that nobody has measured yet: all stay.
 */
export function fitColumns<C extends Fitting>(columns: readonly C[], pixels: number, keep?: string): readonly C[] {
  let excess = sumOf(columns) - pixels
  if (pixels <= 0 || excess <= 0) return columns
  const leaving = columns
    .filter(({ key, pin }) => !pin && key !== keep)
    .toReversed()
    .sort((a, b) => (a.importance ?? 0) - (b.importance ?? 0))
  const gone = new Set<C>()
  for (const column of leaving) {
    if (excess <= 0) break
    gone.add(column)
    excess -= column.width
  }
  return columns.filter((column) => !gone.has(column))
}

/**
 * The columns with the room that is left over shared among them, each as it is wide. Those with an exact width get
 * none of it, unless all have one: then the last that is not pinned fills the line.
 */
export function spreadColumns<C extends Fitting>(columns: readonly C[], pixels: number): readonly C[] {
  const left = pixels - sumOf(columns)
  if (left <= 0) return columns
  const elastic = columns.filter(({ exact }) => !exact)
  const takers = elastic.length > 0 ? elastic : columns.filter(({ pin }) => !pin).slice(-1)
  const total = sumOf(takers)
  const last = takers.at(-1)
  let rest = left
  return columns.map((column) => {
    if (!takers.includes(column)) return column
    const share = column === last ? rest : Math.floor((left * column.width) / total)
    rest -= share
    return { ...column, width: column.width + share }
  })
}

const sumOf = (columns: readonly Fitting[]) => columns.reduce((sum, { width }) => sum + width, 0)

/** What the fitting asks of a column. */
export interface Fitting {
  key: string
  width: number
  pin?: 'start' | 'end'
  importance?: number
  /** Has its width whatever room there is. */
  exact?: boolean
  /** Somebody switched it on: it is shown whatever room there is. */
  chosen?: boolean
  /** Not one of the usual ones: it takes no room from them. */
  spare?: boolean
  /** What it needs to be whole, where that is more than it has. */
  whole?: number
  /** What it can give way to; its own width unless told. */
  least?: number
}

/**
 * The columns that fit into so many pixels. What matters least goes first, among equals the rightmost; pinned columns
 * and `keep` always stay, and so does what somebody chose. That takes nothing from the others: switching one column on
 * never takes another away, the table scrolls instead. Zero pixels means that nobody has measured yet: all stay.
 */
export function fitColumns<C extends Fitting>(columns: readonly C[], pixels: number, keep?: string): readonly C[] {
  const usual = columns.filter(({ spare }) => !spare)
  let excess = sumOf(usual) - pixels
  if (pixels <= 0 || excess <= 0) return columns
  const leaving = usual
    .filter(({ key, pin }) => !pin && key !== keep)
    .toReversed()
    .sort((a, b) => (a.importance ?? 0) - (b.importance ?? 0))
  const gone = new Set<C>()
  for (const column of leaving) {
    if (excess <= 0) break
    gone.add(column)
    excess -= column.width
  }
  return columns.filter((column) => column.chosen || !gone.has(column))
}

/**
 * The same columns as `before`, where free text can give way that far: the next page of a list moves no column. Where
 * it asks for more, they are found anew. What somebody switched on may be too wide by itself: nothing gives way for it.
 */
export function sameColumns<C extends Fitting>(columns: readonly C[], before: ReadonlySet<string>, pixels: number) {
  const same = columns.filter(({ key }) => before.has(key))
  const giving = same.map((column) => ({ ...column, least: gentlest(column) }))
  const squeezed = squeezeColumns(giving, pixels)
  return same.some(({ chosen }) => chosen) || sumOf(squeezed) > pixels ? undefined : squeezed
}

/** Free text gives way by a quarter for the sake of other columns, and nothing else does. */
const gentlest = ({ width, least = width }: Fitting) => Math.max(least, Math.ceil((width * 3) / 4))

/** The columns where none may leave: those that can, give way, each as much as it has to give. */
export function squeezeColumns<C extends Fitting>(columns: readonly C[], pixels: number): readonly C[] {
  const excess = sumOf(columns) - pixels
  const give = ({ width, least = width }: Fitting) => Math.max(0, width - least)
  const total = columns.reduce((sum, column) => sum + give(column), 0)
  if (pixels <= 0 || excess <= 0 || total === 0) return columns
  const share = Math.min(1, excess / total)
  return columns.map((column) => ({ ...column, width: column.width - Math.ceil(share * give(column)) }))
}

/**
 * The columns with the room that is left over: first those that would be cut get what they need, then it is shared,
 * each as it is wide. Those with an exact width get none of it, unless all have one: then the last that is not pinned
 * fills the line.
 */
export function spreadColumns<C extends Fitting>(columns: readonly C[], pixels: number): readonly C[] {
  const left = pixels - sumOf(columns)
  return left <= 0 ? columns : shared(madeWhole(columns, left), pixels)
}

function madeWhole<C extends Fitting>(columns: readonly C[], room: number): readonly C[] {
  let left = room
  return columns.map((column) => {
    const more = Math.min(left, Math.max(0, (column.whole ?? 0) - column.width))
    left -= more
    return more > 0 ? { ...column, width: column.width + more } : column
  })
}

function shared<C extends Fitting>(columns: readonly C[], pixels: number): readonly C[] {
  const left = pixels - sumOf(columns)
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

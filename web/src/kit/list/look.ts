import type { ListFilter } from './filter'

/** How high the rows of a list are. */
export const densities = ['compact', 'standard', 'roomy'] as const
export type Density = (typeof densities)[number]

/** What differs from the columns that a list has by itself. A difference, so that a new column appears by itself. */
export interface ColumnDifference {
  hidden: readonly string[]
  shown: readonly string[]
}

/** How a list looks to somebody: its columns and its rows. What is missing was left as it is usual. */
export interface Look {
  columns?: ColumnDifference | undefined
  density?: Density | undefined
}

/** Pixels of a row. */
export const rowHeights: Readonly<Record<Density, number>> = { compact: 30, standard: 36, roomy: 44 }

export const usualColumns: ColumnDifference = { hidden: [], shown: [] }
export const usualDensity: Density = 'standard'

/** Says in an address that the columns are the usual ones, whatever they are for whoever opens it. */
const asUsual = '*'
const names = ['cols', 'rows'] as const
/** Says which saved view is shown; what it shows stands in the address as well. */
export const viewName = 'view'
/** Says whose detail is open. */
export const detailName = 'detail'

/** Reads the look out of an address: `cols=-board serial` hides one column and shows another. */
export function readLook(search: URLSearchParams): Look {
  const [columns, rows] = names.map((name) => search.get(name))
  const density = densities.find((each) => each === rows)
  return { ...(columns && { columns: readColumns(columns) }), ...(density && { density }) }
}

function readColumns(text: string): ColumnDifference {
  const words = text.split(' ').filter((word) => word !== '' && word !== asUsual)
  const isHidden = (word: string) => word.startsWith('-')
  return {
    hidden: words.filter(isHidden).map((word) => word.slice(1)),
    shown: words.filter((word) => !isHidden(word)),
  }
}

/** Writes the look into an address; what is missing is left out. */
export function writeLook(look: Look, search: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(search)
  const put = (name: (typeof names)[number], text: string | undefined) =>
    text ? next.set(name, text) : next.delete(name)
  put('cols', look.columns && columnsText(look.columns))
  put('rows', look.density)
  return next
}

function columnsText({ hidden, shown }: ColumnDifference): string {
  return [...hidden.map((key) => `-${key}`), ...shown].toSorted().join(' ') || asUsual
}

/** The address of the same page with nothing chosen; what other parts of the page keep there stays. */
export function cleared(filter: ListFilter, search: URLSearchParams): URLSearchParams {
  const next = writeLook({}, search)
  for (const name of [...Object.keys(filter.params), 'sort', 'page', viewName]) next.delete(name)
  return next
}

/** Whether an address asks for anything of a list. */
export const isAsked = (filter: ListFilter, search: URLSearchParams) => cleared(filter, search).size < search.size

import type { Needed } from './content-widths'

/** What a table took and needed when it was seen last. */
export interface TableNeeds {
  /** Pixels of the window's width that were not the table's, where it is the page's own. */
  beside?: number | undefined
  /** What its columns needed, by their keys and titles. */
  columns: Readonly<Record<string, Needed>>
}

/** Where a table knows from how it looked: without it, it is drawn once to be measured and once more as it fits. */
export interface TableMemory {
  /** Tables of one name have the same columns. */
  name: string
  /** What is known from an earlier visit. */
  before: TableNeeds | undefined
  /** Hears what is known now. */
  keep: (now: TableNeeds) => void
}

import { load, save } from '@/access/storage'
import type { RowRoom } from '@/ui/use-row-room'
import { rowHeights } from './look'

/**
 * What decides about the first question of a list besides its address. It is kept where it can be read before the page
 * of the list is there, by `app/first-load`; what people choose themselves stays in their preferences.
 */
export interface ListHabit {
  /** How much room its rows had. */
  room?: RowRoom | undefined
  /** How many rows a page has, where that was chosen. */
  size?: number | undefined
  /** The query of the view that it opens with. */
  opening?: string | undefined
}

export type Habits = Readonly<Record<string, ListHabit>>

const key = 'lists'
/** Stands for a list that was never seen here: lists look much the same. */
const any = '*'

/** The habits of all lists, by their calls. */
export const loadHabits = (): Habits => load<Habits>(key) ?? {}

/** The habits of one list. */
export function habitOf(habits: Habits, operation: string): ListHabit {
  const own = habits[operation]
  return { ...own, room: own?.room ?? habits[any]?.room }
}

/** Remembers what has changed of a list's habits. */
export function keepHabit(operation: string, change: ListHabit) {
  // Signing out empties the browser's storage: a page that goes with it leaves nothing behind.
  if (!load<string>('token')) return
  const all = loadHabits()
  const next = { ...all, [operation]: { ...all[operation], ...change } }
  const { room } = change
  // Among tabs a list has less room than alone, as most are. Rows of another list may have another height.
  if (room && room.around < (all[any]?.room?.around ?? Number.POSITIVE_INFINITY))
    next[any] = { room: { ...room, row: rowHeights.standard } }
  if (JSON.stringify(next) !== JSON.stringify(all)) save(key, next)
}

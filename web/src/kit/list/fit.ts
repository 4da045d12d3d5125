import { useState } from 'react'
import type { RowRoom } from '@/ui/use-row-room'
import { defaultPageSize } from './filter'

/** Fewer make no list; more than this a person does not read without scrolling anyway. */
const fewest = 5
const most = 200

/** How many rows a window of this height shows at once. `app/first-load/early.ts` reckons the same. */
export const rowsThatFit = ({ around, row }: RowRoom, windowHeight: number): number =>
  Math.min(most, Math.max(fewest, Math.floor((windowHeight - around) / row)))

/** How many rows fit the window. */
export interface RowFit {
  /** Unknown until the table has been measured, which is before the first paint. */
  rows: number | undefined
  /** Where the number came from; none where nothing can be measured. */
  room: RowRoom | undefined
  measured: (room: RowRoom | undefined) => void
}

/** Keeps how many rows fit. `onChange` hears of another number than before. */
export function useRowFit(onChange: (before: number, now: number) => void): RowFit {
  const [fit, setFit] = useState<{ rows?: number; room?: RowRoom }>({})
  const measured = (room: RowRoom | undefined) => {
    // A table that cannot be measured now keeps what it knew.
    if (!room) return setFit((known) => (known.rows ? known : { rows: defaultPageSize }))
    const rows = rowsThatFit(room, window.innerHeight)
    if (fit.rows !== undefined && fit.rows !== rows) onChange(fit.rows, rows)
    if (fit.rows !== rows || fit.room?.around !== room.around || fit.room.row !== room.row) setFit({ rows, room })
  }
  return { rows: fit.rows, room: fit.room, measured }
}

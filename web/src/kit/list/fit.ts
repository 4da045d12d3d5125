import { useRef, useState } from 'react'
import type { RowRoom } from '@/ui/use-row-room'
import { defaultPageSize } from './filter'
import { rowsThatFit } from './question'

/** How many rows fit the window. */
export interface RowFit {
  /** Until the table has been measured, which is before the first paint, what is known from the last visit, if anything. */
  rows: number | undefined
  /** Where the number came from; none where nothing can be measured. */
  room: RowRoom | undefined
  measured: (room: RowRoom | undefined) => void
}

/**
 * Keeps how many rows fit: what is `known` from the last visit until the table is measured. `onChange` hears of another
 * number than was measured before.
 */
export function useRowFit(known: RowRoom | undefined, onChange: (before: number, now: number) => void): RowFit {
  const [fit, setFit] = useState<{ rows?: number; room?: RowRoom }>(() =>
    known ? { rows: rowsThatFit(known, window.innerHeight), room: known } : {},
  )
  const isMeasured = useRef(false)
  const measured = (room: RowRoom | undefined) => {
    // A table that cannot be measured now keeps what it knew.
    if (!room) return setFit((known) => (known.rows ? known : { rows: defaultPageSize }))
    const rows = rowsThatFit(room, window.innerHeight)
    if (isMeasured.current && fit.rows !== undefined && fit.rows !== rows) onChange(fit.rows, rows)
    isMeasured.current = true
    if (fit.rows !== rows || fit.room?.around !== room.around || fit.room.row !== room.row) setFit({ rows, room })
  }
  return { rows: fit.rows, room: fit.room, measured }
}

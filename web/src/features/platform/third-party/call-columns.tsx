import type { RowOf } from '@/api/call'
import { columnsOf } from '@/kit/list/columns'
import { openOutcome } from '../choices'

const c = columnsOf<RowOf<'openCallList'>>()

/** What was called, and what came of it. */
export const callColumns = [
  c.code('method', { importance: 1 }),
  c.code('path', { importance: 4 }),
  c.choice('outcome', openOutcome, { importance: 4 }),
  c.code('code', { importance: 3 }),
]

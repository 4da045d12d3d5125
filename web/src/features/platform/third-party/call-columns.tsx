import type { RowOf } from '@/api/call'
import { columnsOf } from '@/kit/list/columns'
import { openOutcome } from '../choices'

const c = columnsOf<RowOf<'openCallList'>>()

/** What is said of a call wherever its application is known. */
export const callColumns = [
  c.code('method', { importance: 1 }),
  c.code('path', { importance: 4 }),
  c.choice('outcome', openOutcome, { importance: 4 }),
  c.number('status', { importance: 2 }),
  c.code('code', { importance: 3 }),
  c.number('millis', { importance: 1 }),
  c.code('ip', { importance: 1 }),
]

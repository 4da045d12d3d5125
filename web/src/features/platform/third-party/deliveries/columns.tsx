import type { RowOf } from '@/api/call'
import { columnsOf } from '@/kit/list/columns'
import { deliveryState, hookEvent } from '../../choices'

const c = columnsOf<RowOf<'openDeliveryList'>>()

/** What was told, about what, and what has become of it. */
export const deliveryColumns = [
  c.choice('kind', hookEvent, { importance: 4 }),
  c.code('subject', { importance: 4 }),
  c.choice('state', deliveryState, { importance: 4 }),
]

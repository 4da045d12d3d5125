import type { RowOf } from '@/api/call'
import { columnsOf } from '@/kit/list/columns'
import { ruleField, ruleScope } from '../choices'

const c = columnsOf<RowOf<'phoneRuleChangeList'>>()

export const at = c.time('at', { pin: 'start' })
export const whom = [c.choice('scope', ruleScope, { importance: 1 }), c.text('name', { importance: 3 })]
/** What was changed, and by whom. */
export const what = [
  c.choice('field', ruleField, { importance: 3 }),
  c.text('before', { importance: 2 }),
  c.text('after', { importance: 3 }),
  c.text('by', { importance: 2 }),
]

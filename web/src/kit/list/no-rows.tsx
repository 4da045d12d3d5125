import { Link } from 'react-router'
import { useCan } from '@/access/permissions'
import type { Code } from '@/api/codes'
import { type Messages, useMessages } from '@/i18n/messages'
import { Button } from '@/ui/button'
import { Placeholder } from '@/ui/placeholder'
import type { Action } from '../action'
import { ActionButtons } from '../action-buttons'
import { LoadFailed } from '../loaded'
import { kitMessages } from '../messages'
import { type ActionRunner, useAllowed } from '../use-actions'
import type { ListTexts } from './list-page'
import type { List } from './use-list'

/** Where the first rows of a list come from, for those who may do that there. */
export interface Start {
  to: string
  label: string
  need: Code
}

interface NoRowsProps {
  messages: Messages<ListTexts>
  list: List
  /** Acts on the list as a whole, of which some may make its first rows. */
  acts: readonly Action[]
  runner: ActionRunner | undefined
  start: Start | undefined
}

/**
 * Failed, no match, past the end, or empty: each says what to do next, with a button that does it. Of an empty list it
 * makes the first rows or leads to where they come from; where this person may do neither, it looks again.
 */
export function NoRows({ messages, list, acts, runner, start }: NoRowsProps) {
  const m = useMessages(kitMessages)
  const { empty, emptyHint } = useMessages(messages)
  const can = useCan()
  const making = useAllowed(acts.filter(makesRows))
  if (list.error) return <LoadFailed error={list.error} onRetry={list.reload} />
  if (list.total > 0) {
    return <Placeholder title={m.pastEnd} action={<Button onClick={() => list.setPage(1)}>{m.firstPage}</Button>} />
  }
  if (list.isFiltered) {
    const clear = <Button onClick={list.clearFilter}>{m.clearFilters}</Button>
    return <Placeholder title={m.noMatch} hint={m.noMatchHint} action={clear} />
  }
  const leads = start && can(start.need)
  const makes = runner && making.length > 0
  const first = (
    <div className="kit-tools">
      {makes && <ActionButtons acts={making} runner={runner} primary />}
      {leads && (
        <Link className="sky-link" to={start.to}>
          {start.label}
        </Link>
      )}
      {!makes && !leads && <Button onClick={list.reload}>{m.refresh}</Button>}
    </div>
  )
  return <Placeholder title={empty} hint={emptyHint} action={first} />
}

/** Whether an act can make the first rows of an empty list. The verb of its permission says so. */
const makesRows = ({ need }: Action) => /:(create|import|invite)$/.test(need ?? '')

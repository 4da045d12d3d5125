import type { ReactNode } from 'react'
import { type Messages, useMessages } from '@/i18n/messages'
import { Button } from '@/ui/button'
import { Placeholder } from '@/ui/placeholder'
import type { Action } from '../action'
import { ActionButtons } from '../action-buttons'
import { LoadFailed } from '../loaded'
import { kitMessages } from '../messages'
import type { ActionRunner } from '../use-actions'
import type { ListTexts } from './list-page'
import type { List } from './use-list'

interface NoRowsProps {
  messages: Messages<ListTexts>
  list: List
  /** Acts on the list as a whole, of which some may make its first rows. */
  acts: readonly Action[]
  runner: ActionRunner | undefined
  /** Leads to where the first rows come from. */
  start: ReactNode
}

/** Failed, no match, past the end, or empty: each says what to do next, with a button that does it. */
export function NoRows({ messages, list, acts, runner, start }: NoRowsProps) {
  const m = useMessages(kitMessages)
  const { empty, emptyHint } = useMessages(messages)
  if (list.error) return <LoadFailed error={list.error} onRetry={list.reload} />
  if (list.total > 0) {
    return <Placeholder title={m.pastEnd} action={<Button onClick={() => list.setPage(1)}>{m.firstPage}</Button>} />
  }
  if (list.isFiltered) {
    const clear = <Button onClick={list.clearFilter}>{m.clearFilters}</Button>
    return <Placeholder title={m.noMatch} hint={m.noMatchHint} action={clear} />
  }
  const first = (
    <div className="kit-tools">
      {runner && <ActionButtons acts={acts.filter(makesRows)} runner={runner} primary />}
      {start}
    </div>
  )
  return <Placeholder title={empty} hint={emptyHint} action={first} />
}

/** Whether an act can make the first rows of an empty list. The verb of its permission says so. */
const makesRows = ({ need }: Action) => /:(create|import|invite)$/.test(need ?? '')

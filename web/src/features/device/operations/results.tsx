import type { RowOf } from '@/api/call'
import { columnsOf } from '@/kit/list/columns'
import { defineFilter } from '@/kit/list/filter'
import { ListTable } from '@/kit/list/list-table'
import { useInnerList } from '@/kit/list/use-list'
import { freeText } from '@/ui/data-table'
import { operationTarget, taskStep } from './choices'
import { taskMessages } from './messages'
import { Said } from './said'
import { type Shown, useShown } from './shown'
import { TargetLink } from './target-link'

const filter = defineFilter({})
const c = columnsOf<RowOf<'operationTasks'>>()

const columnsOn = (kind: number) => [
  c.custom('target', ({ target }) => <TargetLink kind={kind} target={target} />),
  c.choice('state', taskStep),
  c.custom('said', (task) => <Said task={task} isOnCard={kind === operationTarget.value.card} />, freeText),
  c.time('endedAt'),
]

interface ResultsProps {
  id: number
  /** The kind of what the operation is done to. */
  kind: number
  shown: Shown
}

/** The result of each target in full: output, files, what it may have changed. */
export function Results({ id, kind, shown }: ResultsProps) {
  const [, show] = useShown()
  const list = useInnerList('operationTasks', filter, { id, ...shown })
  // What is shown is chosen beside the list.
  const narrowed = { ...list, isFiltered: Object.keys(shown).length > 0, clearFilter: () => show({}) }
  return (
    <div className="kit-inner">
      <ListTable messages={taskMessages} list={narrowed} columns={columnsOn(kind)} />
    </div>
  )
}

import type { RowOf } from '@/api/call'
import { columnsOf } from '@/kit/list/columns'
import { defineFilter } from '@/kit/list/filter'
import { ListTable } from '@/kit/list/list-table'
import { useInnerList } from '@/kit/list/use-list'
import { freeText } from '@/ui/data-table'
import { CardLink } from '../links'
import { taskStep } from './choices'
import { taskMessages } from './messages'
import { Said } from './said'
import { type Shown, useShown } from './shown'

const filter = defineFilter({})
const c = columnsOf<RowOf<'operationTasks'>>()

const columns = [
  c.custom('card', ({ card }) => <CardLink id={card.id} name={card.name ?? String(card.id)} />),
  c.choice('state', taskStep),
  c.custom('said', (task) => <Said task={task} />, freeText),
  c.time('endedAt'),
]

/** The result of each card in full: output, files, what it may have changed. */
export function Results({ id, shown }: { id: number; shown: Shown }) {
  const [, show] = useShown()
  const list = useInnerList('operationTasks', filter, { id, ...shown })
  // What is shown is chosen beside the list.
  const narrowed = { ...list, isFiltered: Object.keys(shown).length > 0, clearFilter: () => show({}) }
  return (
    <div className="kit-inner">
      <ListTable messages={taskMessages} list={narrowed} columns={columns} />
    </div>
  )
}

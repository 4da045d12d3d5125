import { useQueryClient } from '@tanstack/react-query'
import type { RowOf } from '@/api/call'
import { refreshQueries } from '@/api/query'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter } from '@/kit/list/filter'
import { ChoiceFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { useEvents } from '@/kit/live/use-events'
import { TaskDrawer } from '@/kit/task/lazy-drawer'
import { taskState } from '@/kit/task/task-messages'
import { messages } from './messages'
import { TaskProgress } from './progress'

const filter = defineFilter({ state: choiceParam(taskState) })

const c = columnsOf<RowOf<'taskList'>>()

const columns = [
  c.detail('title', { width: 240 }),
  c.choice('state', taskState, { width: 100 }),
  c.custom('progress', (task) => <TaskProgress task={task} />, { width: 180 }),
  c.text('message', { width: 220 }),
  c.text('createdBy', { width: 110 }),
  c.time('createdAt'),
  c.time('startedAt', { spare: true }),
  c.time('finishedAt'),
]

/** What runs in the background: how far it is, what came of it, cancel, run again. */
export default function TasksPage() {
  const list = useList('taskList', filter)
  const client = useQueryClient()
  // The list is asked again rather than patched: a task that begins or ends may enter or leave the filter.
  const reload = () => void refreshQueries(client, ['taskList'])
  useEvents('task', reload, reload)
  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      filters={<ChoiceFilter name="state" choices={taskState} />}
      detail={(id, close) => <TaskDrawer key={id} id={id} onClose={close} />}
    />
  )
}

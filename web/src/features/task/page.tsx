import { useQueryClient } from '@tanstack/react-query'
import type { RowOf } from '@/api/call'
import { refreshQueries } from '@/api/query'
import { useEvents } from '@/api/use-events'
import { sorts } from '@/api/words/TaskView'
import { useMessages } from '@/i18n/messages'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter, textParam, timeParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter, TimeRangeFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { TaskDrawer } from '@/kit/task/lazy-drawer'
import { taskState } from '@/kit/task/task-messages'
import { progressOf } from '@/kit/task/use-task'
import { messages } from './messages'
import { TaskProgress } from './progress'

const filter = defineFilter(
  {
    keyWord: textParam(),
    state: choiceParam(taskState),
    startTime: timeParam(),
    endTime: timeParam(),
  },
  sorts,
)

type Task = RowOf<'taskList'>

const c = columnsOf<Task>()

const columns = [
  c.detail('title'),
  c.choice('state', taskState, { importance: 4 }),
  c.custom('progress', (task) => <TaskProgress task={task} />, { importance: 3 }),
  c.text('message', { importance: 2 }),
  c.text('createdBy', { importance: 1 }),
  c.time('createdAt', { importance: 2 }),
  c.time('startedAt', { spare: true }),
  c.time('finishedAt', { importance: 1 }),
]

const withProgress = <P extends { list: Task[] }>(
  page: P,
  { id, done, total }: Task['progress'] & { id: string },
): P => ({
  ...page,
  list: page.list.map((task) => (task.id === id ? { ...task, progress: { done, total } } : task)),
})

/** Background tasks: progress, result, cancel, run again. */
export default function TasksPage() {
  const m = useMessages(messages)
  const list = useList('taskList', filter)
  const client = useQueryClient()
  const reload = () => void refreshQueries(client, ['taskList'])
  useEvents(
    'task',
    ({ data }) => {
      const now = progressOf(data)
      const shown = list.rows.find((task) => task.id === now?.id)
      // A task that starts or ends may enter or leave the filter; one that only progresses is patched in place.
      if (!now || shown?.state !== now.state) return reload()
      client.setQueriesData<{ list: Task[] }>({ queryKey: ['taskList'] }, (page) => page && withProgress(page, now))
    },
    reload,
  )
  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      exports={{ operation: 'taskExport', need: 'task:export' }}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={m.search} />
          <ChoiceFilter name="state" choices={taskState} />
          <TimeRangeFilter name="createdAt" />
        </>
      }
      detail={(id, close) => <TaskDrawer key={id} id={id} onClose={close} />}
    />
  )
}

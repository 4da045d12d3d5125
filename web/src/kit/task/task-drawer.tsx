import '../kit.css'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useApiMutation } from '@/api/query'
import { downloadFile } from '@/api/save-file'
import { useMessages } from '@/i18n/messages'
import { byteSize, grouped } from '@/rules/format'
import { Button } from '@/ui/button'
import { Callout } from '@/ui/callout'
import { Drawer } from '@/ui/drawer'
import { Progress } from '@/ui/progress'
import { action, danger } from '../action'
import { ActionButtons } from '../action-buttons'
import { ChoiceLabel } from '../choices'
import { Loaded } from '../loaded'
import { kitMessages } from '../messages'
import { useActions } from '../use-actions'
import { taskMessages, taskState } from './task-messages'
import { isSettled, type Task, useTask } from './use-task'

/** The progress of one background task: how far, what came of it, cancel, run again, fetch the file. */
export default function TaskDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const m = useMessages(taskMessages)
  const k = useMessages(kitMessages)
  const [isMoving, setMoving] = useState(true)
  const task = useTask(id, isMoving)
  const client = useQueryClient()
  const settled = isSettled(task.data?.state)

  // A finished task may have changed any list; it does not say which.
  useEffect(() => {
    setMoving(!settled)
    if (settled) void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'taskGet' })
  }, [settled, client])

  return (
    <Drawer
      open
      size={440}
      title={m.title}
      onClose={onClose}
      footer={
        <div className="kit-footer">
          <Button onClick={onClose}>{k.close}</Button>
        </div>
      }
    >
      <Loaded query={task}>{(task) => <TaskView task={task} />}</Loaded>
    </Drawer>
  )
}

/** A task as a drawer shows it; also used by the list of tasks. */
export function TaskView({ task }: { task: Task }) {
  const m = useMessages(taskMessages)
  const runner = useActions()
  const acts = useTaskActs(task)
  const { done, total } = task.progress
  const percent = total > 0 ? Math.min(100, Math.floor((done / total) * 100)) : 0
  const settled = isSettled(task.state)
  const status = task.state === 'failed' ? 'exception' : task.state === 'succeeded' ? 'success' : 'normal'
  return (
    <div className="kit-task">
      <div className="kit-detail-title">
        <strong>{task.title}</strong>
        <ChoiceLabel choices={taskState} value={task.state} />
      </div>
      <Progress
        percent={task.state === 'succeeded' ? 100 : percent}
        status={settled ? status : 'active'}
        aria-label={task.title}
      />
      <div className="sky-soft" aria-live="polite">
        {m.progress(grouped(done), grouped(total))}
      </div>
      {task.message && <Callout tone={task.state === 'failed' ? 'bad' : 'info'} title={task.message} />}
      {!settled && <p className="sky-soft">{m.goesOn}</p>}
      <div className="kit-tools">
        <ActionButtons acts={acts} runner={runner} target={task.title} primary={Boolean(task.result)} />
      </div>
      {runner.host}
    </div>
  )
}

/** What can be done with a task now. */
export function useTaskActs(task: Task) {
  const m = useMessages(taskMessages)
  const cancel = useApiMutation('taskCancel', { refresh: ['taskGet', 'taskList'] })
  const retry = useApiMutation('taskRetry', { refresh: ['taskGet', 'taskList'] })
  const { id, result } = task
  const download = () => downloadFile('taskFile', { path: { id } })
  return [
    ...(result
      ? [
          action(m.download(result.fileName, byteSize(result.size)), {
            blocked: result.canDownload ? undefined : m.noDownload,
            run: download,
          }),
        ]
      : []),
    ...(task.canCancel
      ? [
          danger(m.cancel, {
            need: 'task:cancel',
            confirm: m.cancelQuestion,
            run: () => cancel.mutateAsync({ path: { id } }),
          }),
        ]
      : []),
    ...(task.canRetry ? [action(m.retry, { need: 'task:retry', run: () => retry.mutateAsync({ path: { id } }) })] : []),
  ]
}

import { useQueryClient } from '@tanstack/react-query'
import type { DataOf } from '@/api/call'
import { refreshQueries, useApiQuery } from '@/api/query'
import { useEvents } from '@/api/use-events'
import { taskState } from './task-messages'

/** A background task as the server reports it. */
export type Task = DataOf<'taskGet'>

/** Whether a task has ended. */
export const isSettled = (state: string | undefined): boolean =>
  state !== undefined && state !== taskState.value.queued && state !== taskState.value.running

/** Follows one background task until it has ended: live, and every three seconds in case the stream is lost. */
export function useTask(id: string, isMoving: boolean) {
  const client = useQueryClient()
  useEvents('task', ({ data }) => {
    const progress = progressOf(data)
    if (progress?.id !== id) return
    client.setQueryData<Task>(
      ['taskGet', { path: { id } }],
      (task) => task && { ...task, progress: { done: progress.done, total: progress.total } },
    )
    // Its message, its file and the possible actions are known when it has ended; the event does not carry them.
    if (isSettled(progress.state)) void refreshQueries(client, ['taskGet'])
  })
  return useApiQuery('taskGet', { path: { id } }, { refetchInterval: isMoving ? 3_000 : false, staleTime: 0 })
}

/** An event of the task domain: which task, and how far it is. */
export function progressOf(data: unknown): { id: string; state: string; done: number; total: number } | undefined {
  const event = data as { id?: unknown; state?: unknown; done?: unknown; total?: unknown } | null
  if (typeof event?.id !== 'string') return undefined
  return { id: event.id, state: String(event.state), done: Number(event.done ?? 0), total: Number(event.total ?? 0) }
}

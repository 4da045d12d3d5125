import type { DataOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { taskState } from './task-messages'

/** A background task as the server tells it. */
export type Task = DataOf<'taskGet'>

/** Whether a task has come to its end. */
export const isSettled = (state: string | undefined): boolean =>
  state !== undefined && state !== taskState.value.queued && state !== taskState.value.running

/** Follows one background task: every second while it moves, never once it has settled. */
export function useTask(id: string, isMoving: boolean) {
  return useApiQuery('taskGet', { path: { id } }, { refetchInterval: isMoving ? 1_000 : false, staleTime: 0 })
}

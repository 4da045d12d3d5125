import type { RowOf } from '@/api/call'
import { grouped } from '@/rules/format'

/** How far a task is, as a bar and in numbers. */
export function TaskProgress({ task }: { task: RowOf<'taskList'> }) {
  const { done, total } = task.progress
  return (
    <span className="kit-progress">
      <progress value={done} max={Math.max(total, 1)} aria-label={task.title} />
      {grouped(done)} / {grouped(total)}
    </span>
  )
}

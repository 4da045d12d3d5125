import { useCan } from '@/access/permissions'
import type { RowOf } from '@/api/call'
import { downloadFile } from '@/api/save-file'
import { useMessages } from '@/i18n/messages'
import { ChoiceLabel } from '@/kit/choices'
import { taskEffect, taskStep } from './choices'
import { messages } from './messages'

/** The result of a task: why it failed, its output, the file that was fetched. */
export function Said({ task, isOnCard = true }: { task: RowOf<'operationTasks'>; isOnCard?: boolean }) {
  const m = useMessages(messages)
  const { id, state, words, reason, effect, output, outputWithheld, truncated, attempt, millis, hasFile, endedAt } =
    task
  const hasFailed = state === taskStep.value.failed
  const can = useCan()
  return (
    <div>
      {words && <div>{words}</div>}
      {reason && reason !== words && <div className="sky-soft">{reason}</div>}
      {hasFailed && isOnCard && effect && <ChoiceLabel choices={taskEffect} value={effect} />}
      {output && <pre className="operation-output">{output}</pre>}
      {outputWithheld && <div className="sky-soft">{m.withheld}</div>}
      {truncated && <div className="sky-soft">{m.cutNote}</div>}
      {hasFile && can('device:files') && (
        <button type="button" className="sky-link" onClick={() => void saveTaskFile(id)}>
          {m.download}
        </button>
      )}
      {endedAt && attempt > 0 && (
        <div className="sky-soft">
          {m.took((millis / 1000).toFixed(1))}
          {attempt > 1 && ` · ${m.attempt(attempt)}`}
        </div>
      )}
    </div>
  )
}

/** Downloads the file that a task fetched from its card. */
export const saveTaskFile = (id: number) => downloadFile('operationTaskFile', { path: { id } })

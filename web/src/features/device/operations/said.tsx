import type { RowOf } from '@/api/call'
import { fetchFile } from '@/api/call'
import { saveFile } from '@/api/save-file'
import { useMessages } from '@/i18n/messages'
import { messages } from './messages'

/** What became of a task: why it failed, what was printed, the file that was fetched. */
export function Said({ task }: { task: RowOf<'operationTasks'> }) {
  const m = useMessages(messages)
  const { id, words, reason, output, truncated, attempt, millis, hasFile, endedAt } = task
  const download = async () => {
    const file = await fetchFile('operationTaskFile', { path: { id } })
    if (file) saveFile(file)
  }
  return (
    <div>
      {words && <div>{words}</div>}
      {reason && reason !== words && <div className="sky-soft">{reason}</div>}
      {output && <pre className="operation-output">{output}</pre>}
      {truncated && <div className="sky-soft">{m.cutNote}</div>}
      {hasFile && (
        <button type="button" className="sky-link" onClick={() => void download()}>
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

import { useState } from 'react'
import type { OperationId } from '@/api/call'
import { request } from '@/api/client'
import { isApiFailure } from '@/api/failure'
import { notifyError, notifySuccess } from '@/api/notices'
import { operations } from '@/api/operations'
import { saveFile } from '@/api/save-file'
import { useMessages } from '@/i18n/messages'
import { Button } from '@/ui/button'
import { Dropdown } from '@/ui/dropdown'
import { DownloadIcon } from '@/ui/icons'
import { taskIdOf } from '../action'
import { kitMessages } from '../messages'
import { TaskDrawer } from '../task/lazy-drawer'

/** Exports what matches the filter. A small result is a file at once; a large one is a task with a result file. */
export function ExportButton(props: { operation: OperationId; filter: Record<string, unknown>; label?: string }) {
  const m = useMessages(kitMessages)
  const [isBusy, setBusy] = useState(false)
  const [taskId, setTaskId] = useState<string>()

  async function exportAs(format: string) {
    const { method, path } = operations[props.operation]
    // What stands in the path names whose rows they are; the rest is the question.
    const inPath = (name: string) => path.includes(`{${name}}`)
    const entries = Object.entries({ ...props.filter, format })
    const parts = { path: Object.fromEntries(entries.filter(([name]) => inPath(name))) }
    const asked = Object.fromEntries(entries.filter(([name]) => !inPath(name)))
    setBusy(true)
    try {
      const { file, data } = await request(
        method,
        path,
        method === 'GET' ? { ...parts, query: asked } : { ...parts, body: asked },
      )
      const task = taskIdOf(data)
      if (task) setTaskId(task)
      if (file) {
        saveFile(file)
        notifySuccess(m.exported)
      }
    } catch (error) {
      // A refusal has been shown by the client.
      if (!isApiFailure(error)) notifyError(m.network)
    } finally {
      setBusy(false)
    }
  }

  const items = ['XLSX', 'CSV'].map((format) => ({
    key: format,
    label: m.exportAs(format),
    onClick: () => void exportAs(format.toLowerCase()),
  }))
  return (
    <>
      <Dropdown trigger={['click']} menu={{ items }} disabled={isBusy}>
        <Button icon={<DownloadIcon />} loading={isBusy} title={m.exportHint}>
          {props.label ?? m.export}
        </Button>
      </Dropdown>
      {taskId && <TaskDrawer id={taskId} onClose={() => setTaskId(undefined)} />}
    </>
  )
}

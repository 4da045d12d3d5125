import '../kit.css'
import { type ReactNode, useState } from 'react'
import type { DataOf, OperationId, PartsArgument } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { downloadFile } from '@/api/save-file'
import { type Messages, useMessages } from '@/i18n/messages'
import { grouped } from '@/rules/format'
import { Button } from '@/ui/button'
import { Callout } from '@/ui/callout'
import { Drawer } from '@/ui/drawer'
import { DownloadIcon } from '@/ui/icons'
import { Upload } from '@/ui/upload'
import { taskIdOf } from '../action'
import type { FieldTexts } from '../labels'
import { kitMessages } from '../messages'
import { TaskDrawer } from '../task/lazy-drawer'
import { FileProgress, UnfinishedUpload } from './file-progress'
import { importMessages } from './import-messages'
import { BadRows, SampleRows } from './import-preview'
import { fileSender } from './sender'
import { useTransfer } from './use-transfer'

/** What the server found in an uploaded file. */
export type ImportPreview = DataOf<'clientUserImportPreview'>

/** The imports that the server has: the first part of their calls' names. */
type ImportCalls = OperationId extends infer K ? (K extends `${infer Of}Bad` ? Of : never) : never

interface ImportDrawerProps {
  title: string
  /** Labels of the columns: `messages.fields`. */
  messages: Messages<FieldTexts>
  /** What the import's calls are called: they take a file in pieces, run it, and give the template and the bad rows. */
  calls: ImportCalls
  /** The columns of the template, for people. */
  columns: readonly string[]
  /** Where the server says more of a file than the usual: the usual out of it, and what to show of the rest. */
  read?: (answer: unknown) => ImportPreview
  more?: (answer: unknown) => ReactNode
  onClose: () => void
}

/** The shell of every import: upload, see every bad row and why, confirm, follow the progress. */
export function ImportDrawer(props: ImportDrawerProps) {
  const m = useMessages(importMessages)
  const k = useMessages(kitMessages)
  const fields = useMessages(props.messages).fields as Readonly<Record<string, string>>
  const [answer, setAnswer] = useState<unknown>()
  const found = answer === undefined ? undefined : props.read ? props.read(answer) : (answer as ImportPreview)
  const { transfer, refusal, unfinished, ...acts } = useTransfer<unknown>(fileSender(props.calls), setAnswer)
  const calls = {
    run: `${props.calls}Run`,
    template: `${props.calls}Template`,
    bad: `${props.calls}Bad`,
  } as const
  const run = useApiMutation(calls.run)
  const [taskId, setTaskId] = useState<string>()

  const start = (importId: string) => {
    run.mutate({ path: { importId } }, { onSuccess: (answer) => setTaskId(taskIdOf(answer)) })
  }

  // A refusal has been shown by the client.
  const take = (id: (typeof calls)['template' | 'bad'], parts: object) =>
    void downloadFile(id, ...([parts] as unknown as PartsArgument<typeof id>)).catch(() => undefined)

  if (taskId) return <TaskDrawer id={taskId} onClose={props.onClose} />
  const good = grouped(found?.goodRows ?? 0)
  return (
    <Drawer
      open
      size={720}
      title={props.title}
      mask={{ closable: false }}
      onClose={props.onClose}
      footer={
        <div className="kit-footer">
          {found && <Button onClick={() => setAnswer(undefined)}>{m.other}</Button>}
          <Button onClick={props.onClose}>{k.cancel}</Button>
          {found && found.goodRows > 0 && (
            <Button type="primary" loading={run.isPending} onClick={() => start(found.importId)}>
              {m.run(good)}
            </Button>
          )}
        </div>
      }
    >
      <div className="kit-import">
        {refusal && <Callout tone="bad" title={refusal} />}
        {!found && !transfer && (
          <div className="kit-import-part">
            <Upload.Dragger
              accept=".xlsx,.csv"
              maxCount={1}
              showUploadList={false}
              beforeUpload={(file) => {
                acts.start(file)
                return false
              }}
            >
              <p className="kit-drop">{m.drop}</p>
              <p className="sky-soft">{m.kinds}</p>
              <p className="sky-soft">
                {m.columns(props.columns.map((column) => fields[column] ?? column).join(k.comma))}
              </p>
            </Upload.Dragger>
            <Button icon={<DownloadIcon />} onClick={() => take(calls.template, {})}>
              {m.template}
            </Button>
          </div>
        )}
        {transfer && (
          <FileProgress
            transfer={transfer}
            onPause={acts.pause}
            onGoOn={() => acts.start(transfer.file)}
            onGiveUp={() => acts.giveUp(transfer)}
          />
        )}
        {!found &&
          unfinished.map((upload) => (
            <UnfinishedUpload key={upload.id} upload={upload} onGiveUp={() => acts.forget(upload)} />
          ))}
        {found && (
          <>
            <Verdict found={found} />
            {found.left.length > 0 && <p className="sky-soft">{m.left(found.left.join(k.comma))}</p>}
            {props.more?.(answer)}
            {found.bad.length > 0 && (
              <BadRows found={found} onDownload={() => take(calls.bad, { path: { importId: found.importId } })} />
            )}
            {found.sample.length > 0 && <SampleRows found={found} labels={fields} />}
          </>
        )}
      </div>
    </Drawer>
  )
}

function Verdict({ found }: { found: ImportPreview }) {
  const m = useMessages(importMessages)
  const good = grouped(found.goodRows)
  const tone = found.goodRows === 0 ? 'bad' : found.badRows === 0 ? 'good' : 'warn'
  const titles = { bad: m.noneGood, good: m.allGood(good), warn: m.someBad(good, grouped(found.badRows)) }
  return (
    <Callout tone={tone} title={titles[tone]}>
      {m.summary(found.fileName, grouped(found.totalRows))}
    </Callout>
  )
}

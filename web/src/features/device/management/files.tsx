import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { DataOf, RowOf } from '@/api/call'
import { refreshQueries, useApiQuery } from '@/api/query'
import { defineMessages, useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import { ActionButtons, RowActions } from '@/kit/action-buttons'
import { ChoiceLabel } from '@/kit/choices'
import { Loaded } from '@/kit/loaded'
import { TimeText } from '@/kit/time-text'
import { FileField } from '@/kit/upload/file-field'
import { useActions } from '@/kit/use-actions'
import { byteSize } from '@/rules/format'
import { required } from '@/rules/texts'
import { Button } from '@/ui/button'
import { Callout } from '@/ui/callout'
import { DataTable, freeText } from '@/ui/data-table'
import { TextInput } from '@/ui/input'
import { Placeholder } from '@/ui/placeholder'
import { cardFiles } from '../card-files'
import { useCardTransfer } from '../operations/acts'
import { operationKind, taskStep } from '../operations/choices'
import { useLiveOperations } from '../operations/live'
import { Said, saveTaskFile } from '../operations/said'
import { inside, partsOf } from './paths'

const messages = defineMessages({
  folder: ['目录', 'Folder'],
  go: ['前往', 'Go'],
  root: ['根目录', 'Root'],
  again: ['刷新', 'Refresh'],
  upload: ['上传到此目录', 'Upload here'],
  uploadTo: (path: string) => [
    `文件将写入 ${path}，同名文件会被覆盖`,
    `The file is written to ${path}, overwriting any file of the same name`,
  ],
  begun: ['已开始传输', 'Transfer started'],
  download: ['下载', 'Download'],
  file: ['文件', 'File'],
  table: (path: string) => [`${path} 中的文件`, `Files in ${path}`],
  name: ['名称', 'Name'],
  size: ['大小', 'Size'],
  modifiedAt: ['修改时间', 'Modified at'],
  acts: ['操作', 'Actions'],
  tooLarge: ['超过 32 MB，不能下载', 'Files over 32 MB cannot be downloaded'],
  empty: ['目录为空', 'The folder is empty'],
  emptyHint: ['也可能是设备不允许读取', 'Or the device does not allow reading it'],
  cut: ['目录中的文件很多，只显示一部分', 'This folder has many files; only some are shown'],
  transfers: ['最近的传输', 'Recent transfers'],
  link: ['链接', 'Link'],
})

/** Where people keep files. */
const home = '/sdcard'
/** The largest file that the agent fetches, in bytes. */
const most = 32 * 1024 * 1024
/** Transfers that are shown. */
const shown = 5

type Entry = DataOf<'cardFiles'>['entries'][number]
type CardTask = RowOf<'operationCardTasks'>

interface CardFilesProps {
  id: number
  name: string
}

/** The files of a card: its folders, read live, and transfers to it and from it. */
export function CardFiles({ id, name }: CardFilesProps) {
  const m = useMessages(messages)
  const runner = useActions()
  const transfer = useCardTransfer(id)
  const [path, setPath] = useState(home)
  const query = useApiQuery('cardFiles', { path: { id }, query: { path } }, { suppressNotice: true, staleTime: 0 })
  const transfers = useTransfers(id)
  const save = useSaveWhenThere(transfers)

  const upload = action<{ fileId: number }>(m.upload, {
    need: 'device:install',
    confirm: m.uploadTo(path),
    ask: <FileField name="fileId" label={m.file} sender={cardFiles} rules={[required]} />,
    done: m.begun,
    run: ({ fileId }) => transfer.push(fileId, inside(path, '')),
  })
  const download = (entry: Entry) =>
    action(m.download, {
      blocked: entry.size > most ? m.tooLarge : undefined,
      done: m.begun,
      run: async () => {
        const made = await transfer.pull(inside(path, entry.name))
        save(made.id)
        return made
      },
    })

  return (
    <>
      <div className="kit-tools">
        <PathInput key={path} path={path} onGo={setPath} />
        <span className="kit-gap" />
        <Button loading={query.isFetching} onClick={() => void query.refetch()}>
          {m.again}
        </Button>
        <ActionButtons acts={[upload]} runner={runner} target={name} />
      </div>
      <Way path={path} onGo={setPath} />
      <Loaded query={query}>
        {({ entries, isCut }) => (
          <>
            {isCut && <Callout tone="warn" title={m.cut} />}
            <DataTable
              label={m.table(path)}
              rows={entries}
              rowKey={(entry) => entry.name}
              busy={query.isFetching}
              empty={<Placeholder title={m.empty} hint={m.emptyHint} />}
              columns={[
                {
                  key: 'name',
                  title: m.name,
                  ...freeText,
                  render: (entry) => <EntryName entry={entry} onOpen={() => setPath(inside(path, entry.name))} />,
                },
                {
                  key: 'size',
                  title: m.size,
                  align: 'end',
                  render: ({ kind, size }) => (kind === 'file' ? byteSize(size) : ''),
                },
                {
                  key: 'modifiedAt',
                  title: m.modifiedAt,
                  render: ({ modifiedAt }) => <TimeText at={modifiedAt ?? null} />,
                },
                {
                  key: 'acts',
                  title: m.acts,
                  render: (entry) =>
                    entry.kind === 'file' && (
                      <RowActions acts={[download(entry)]} name={inside(path, entry.name)} runner={runner} />
                    ),
                },
              ]}
            />
          </>
        )}
      </Loaded>
      <Transfers tasks={transfers} />
      {runner.host}
    </>
  )
}

/** The input for a path. */
function PathInput({ path, onGo }: { path: string; onGo: (path: string) => void }) {
  const m = useMessages(messages)
  const [typed, setTyped] = useState(path)
  return (
    <form
      className="kit-tools"
      onSubmit={(event) => {
        event.preventDefault()
        onGo(typed.trim() || '/')
      }}
    >
      <TextInput
        className="card-path-input"
        aria-label={m.folder}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Button htmlType="submit">{m.go}</Button>
    </form>
  )
}

/** The path of a folder as links to each one above it. */
function Way({ path, onGo }: { path: string; onGo: (path: string) => void }) {
  const m = useMessages(messages)
  return (
    <nav aria-label={m.folder} className="card-path sky-mono">
      <button type="button" className="sky-link" onClick={() => onGo('/')}>
        {m.root}
      </button>
      {partsOf(path).map((part) => (
        <span key={part.path}>
          {' / '}
          <button type="button" className="sky-link" onClick={() => onGo(part.path)}>
            {part.name}
          </button>
        </span>
      ))}
    </nav>
  )
}

function EntryName({ entry, onOpen }: { entry: Entry; onOpen: () => void }) {
  const m = useMessages(messages)
  const { name, kind } = entry
  if (kind === 'file' || kind === 'other') {
    return (
      <span className="sky-mono" title={name}>
        {name}
      </span>
    )
  }
  return (
    <>
      <button type="button" className="sky-link sky-mono" title={name} onClick={onOpen}>
        {kind === 'folder' ? `${name}/` : name}
      </button>
      {kind === 'link' && <span className="sky-soft"> {m.link}</span>}
    </>
  )
}

/** The latest transfers to and from a card, live; when a file has arrived, the folder on screen is reloaded. */
function useTransfers(id: number): CardTask[] {
  const client = useQueryClient()
  useLiveOperations(['operationCardTasks'])
  const { pull, push } = operationKind.value
  const page = { pageNum: 1, pageSize: shown }
  const pulled = useApiQuery('operationCardTasks', { path: { id }, query: { kind: pull, ...page } })
  const pushed = useApiQuery('operationCardTasks', { path: { id }, query: { kind: push, ...page } })
  const arrived = pushed.data?.list.find(({ task }) => task.state === taskStep.value.succeeded)?.task.endedAt

  // The card does not report changes by itself.
  useEffect(() => {
    if (arrived) void refreshQueries(client, ['cardFiles'])
  }, [client, arrived])

  return [...(pulled.data?.list ?? []), ...(pushed.data?.list ?? [])].sort((a, b) => b.id - a.id).slice(0, shown)
}

/** Hands a file to the browser as soon as the operation that fetches it is over. */
function useSaveWhenThere(tasks: readonly CardTask[]): (operation: number) => void {
  const [wanted, setWanted] = useState<number>()
  const over = tasks.find(({ operationId, task }) => operationId === wanted && task.endedAt)?.task

  // It ends when an event says so, without any click.
  useEffect(() => {
    if (!over) return
    setWanted(undefined)
    // If it has none, the list of transfers says why; if it could not be sent, the call has said so.
    if (over.hasFile) saveTaskFile(over.id).catch(() => undefined)
  }, [over])

  return setWanted
}

function Transfers({ tasks }: { tasks: readonly CardTask[] }) {
  const m = useMessages(messages)
  if (tasks.length === 0) return null
  return (
    <section aria-label={m.transfers}>
      <h3 className="card-transfers">{m.transfers}</h3>
      <ul className="card-transfer-list">
        {tasks.map((row) => (
          <li key={row.id}>
            <ChoiceLabel choices={operationKind} value={row.kind} />
            <span className="sky-mono">{row.detail}</span>
            <ChoiceLabel choices={taskStep} value={row.task.state} />
            <Said task={row.task} />
          </li>
        ))}
      </ul>
    </section>
  )
}

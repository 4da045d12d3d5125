import type { DataOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { ChoiceLabel } from '@/kit/choices'
import { DetailDrawer } from '@/kit/detail/detail-drawer'
import { Facts } from '@/kit/detail/facts'
import { FieldArea } from '@/kit/form/field-area'
import { useForm } from '@/kit/form/use-form'
import { ChoiceFilter, TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import type { List } from '@/kit/list/use-list'
import { Judgement } from '@/kit/preflight/judgement'
import { taskStep } from '@/kit/preflight/task-step'
import { NumberSettings } from '@/kit/settings/number-settings'
import { TaskView } from '@/kit/task/task-drawer'
import { taskState } from '@/kit/task/task-messages'
import type { Task } from '@/kit/task/use-task'
import type { ImportPreview } from '@/kit/upload/import-drawer'
import { BadRows, SampleRows } from '@/kit/upload/import-preview'
import { blank, columns, type Part, useRows } from './lists'
import { messages } from './messages'
import { wait } from './samples'
import { useStillLook } from './views'

const still = () => undefined

/** A whole list, and the detail of a row beside it: a name leads there. */
export function Pages() {
  const m = useMessages(messages)
  const rows = useRows()
  const look = useStillLook()
  const list: List<Part> = { ...blank, rows, total: 1_234_567, look }
  return (
    <div className="preview-page">
      <ListPage
        messages={messages}
        list={list}
        columns={columns}
        nameOf={({ name }) => name}
        filters={
          <>
            <TextFilter name="keyWord" />
            <ChoiceFilter name="state" choices={taskState} />
          </>
        }
        exports={{ operation: 'clientUserExport', need: 'clientUser:export' }}
        pageActions={[action(m.edit, { run: wait })]}
        rowActions={() => [action(m.edit, { run: wait }), danger(m.remove, { confirm: m.removeQuestion, run: wait })]}
        bulkActions={() => [danger(m.remove, { confirm: m.removeQuestion, run: wait })]}
        isDetailBeside
        detail={(id, close) => <PartDetail of={rows.find((row) => String(row.id) === id)} onClose={close} />}
      />
    </div>
  )
}

function PartDetail({ of, onClose }: { of: Part | undefined; onClose: () => void }) {
  const m = useMessages(messages)
  return (
    <DetailDrawer
      messages={messages}
      query={{ data: of, error: null, refetch: still }}
      title={({ name }) => name}
      status={({ state }) => <ChoiceLabel choices={taskState} value={state} />}
      name={({ name }) => name}
      actions={() => [action(m.edit, { run: wait })]}
      tabs={({ name, count }) => [
        { key: 'who', label: m.stepWho, content: <Facts of={{ name, count }} /> },
        { key: 'more', label: m.stepMore, content: m.longText },
      ]}
      onClose={onClose}
    />
  )
}

/** What is wrong in a file, and how its first rows were read. */
export function Imports() {
  const m = useMessages(messages)
  const found: ImportPreview = {
    importId: 'gallery',
    fileName: m.fields.file,
    totalRows: 1_200,
    goodRows: 900,
    badRows: 300,
    columns: ['name', 'phone'],
    left: [],
    bad: [
      { row: 7, field: 'phone', label: m.fields.phone, value: '12', message: m.inUse },
      { row: 1_100, field: 'name', label: m.fields.name, value: m.longText, message: m.longText },
    ],
    sample: [
      [m.sample(1), '13800000000'],
      [m.longText, ''],
    ],
  }
  return (
    <>
      <BadRows found={found} onDownload={still} />
      <SampleRows found={found} labels={m.fields} />
    </>
  )
}

/** What is found before something is done to many: on its way, not known, none, some, all and large. */
export function Preflights() {
  const m = useMessages(messages)
  const words = {
    nothing: m.inUse,
    willRun: (count: string) => `${m.edit}: ${count}`,
    willRunOf: (count: string, total: string) => `${m.edit}: ${count} / ${total}`,
    more: m.emptyHint,
  }
  const { skipped, incompatible } = taskStep.value
  const unproved = { neverBegan: 0, proved: 0, unknown: 0 }
  const some: DataOf<'operationPreview'> = {
    total: 1_200,
    willRun: 900,
    usersHit: 3,
    hasMore: true,
    needsApproval: true,
    leftOut: [
      { state: skipped, code: 'inUse', words: m.inUse, count: 299, ...unproved },
      { state: incompatible, code: 'other', words: m.longText, count: 1, ...unproved },
    ],
  }
  const all = { ...some, willRun: 1_200, usersHit: 0, hasMore: false, needsApproval: false, leftOut: [] }
  const found = [
    { isPending: true, data: undefined },
    { isPending: false, data: undefined },
    { isPending: false, data: { ...all, willRun: 0 } },
    { isPending: false, data: some },
    { isPending: false, data: all },
  ]
  return found.map((each) => <Judgement key={JSON.stringify(each)} found={each} words={words} />)
}

/** The numbers of a settings document, with limits and units as the server gives them. */
export function Settings() {
  const m = useMessages(messages)
  const form = useForm<Record<string, unknown>>({ defaultValues: { port: 8080, count: 3 } })
  return (
    <FieldArea form={form} onSubmit={() => void form.validate()}>
      <NumberSettings
        of={{ port: { min: 1, max: 65_535 }, count: { min: 1, max: 300, unit: ['秒', 's'] } }}
        hints={{ port: m.emptyHint }}
      />
    </FieldArea>
  )
}

/** Background tasks: on their way, done with a file, done with one that is somebody else's, and failed. */
export function Tasks() {
  const m = useMessages(messages)
  const task: Task = {
    id: 'running',
    kind: 'gallery',
    title: m.openImport,
    state: 'running',
    progress: { done: 420, total: 1_200 },
    createdAt: '2026-11-20T13:00:00Z',
    canCancel: true,
    canRetry: false,
  }
  const result = { fileName: m.fields.file, size: 1_200_000, canDownload: true }
  const done: Task = { ...task, id: 'done', state: 'succeeded', canCancel: false, result }
  const all: Task[] = [
    task,
    done,
    { ...done, id: 'foreign', result: { ...result, canDownload: false } },
    { ...task, id: 'failed', state: 'failed', message: m.failure, canCancel: false, canRetry: true },
  ]
  return all.map((each) => <TaskView key={each.id} task={each} />)
}

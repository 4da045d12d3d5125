import { type ReactNode, useState } from 'react'
import { ApiFailure } from '@/api/failure'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { RowActions } from '@/kit/action-buttons'
import { LineChart } from '@/kit/chart/chart'
import { ChoiceLabel } from '@/kit/choices'
import { Facts } from '@/kit/detail/facts'
import { FieldArea } from '@/kit/form/field-area'
import { ChoiceField, NumberField, SwitchField, TextAreaField, TextField } from '@/kit/form/fields'
import { FormDrawer } from '@/kit/form/form-drawer'
import { ReasonField } from '@/kit/form/reason-field'
import { SecretField } from '@/kit/form/secret-field'
import { TimeField } from '@/kit/form/time-field'
import { useForm } from '@/kit/form/use-form'
import { Labels } from '@/kit/labels'
import { columnsOf } from '@/kit/list/columns'
import { ListTable } from '@/kit/list/list-table'
import type { List } from '@/kit/list/use-list'
import { taskState } from '@/kit/task/task-messages'
import { TimeText } from '@/kit/time-text'
import { useActions } from '@/kit/use-actions'
import { phone } from '@/rules/contact'
import { port } from '@/rules/network'
import { required } from '@/rules/texts'
import { Button } from '@/ui/button'
import { Callout } from '@/ui/callout'
import { messages } from './messages'

interface Part {
  id: number
  name: string
  state: string
  size: number
  price: number
  at: string
}

const c = columnsOf<Part>()
const columns = [c.detail('name'), c.choice('state', taskState), c.bytes('size'), c.money('price'), c.time('at')]
const rows: Part[] = taskState.list.map(({ value }, at) => ({
  id: at + 1,
  name: `part-${at + 1}`,
  state: String(value),
  size: 1024 ** (at + 1),
  price: 10 ** (at + 2) + 5,
  at: new Date(Date.now() - 40 ** (at + 2) * 1_000).toISOString(),
}))

const still = () => undefined
const list: List<Part> = {
  operation: 'clientUserPage',
  rows,
  total: 1_234_567,
  filter: {},
  page: 1,
  pageSize: 20,
  sort: { key: 'name', order: 'asc' },
  sorts: ['name'],
  isLoading: false,
  isFetching: false,
  isFiltered: false,
  error: null,
  request: {},
  setFilter: still,
  clearFilter: still,
  setPage: still,
  toggleSort: still,
  reload: still,
}
const failure = new ApiFailure({ status: 5003, httpStatus: 503, msg: '503' })
const none = { ...list, rows: [], total: 0, sort: undefined }
const states: List<Part>[] = [
  list,
  { ...list, isFetching: true },
  { ...none, isLoading: true },
  none,
  { ...none, isFiltered: true },
  { ...none, error: failure },
]

function Show({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="preview-part">
      <h2>{title}</h2>
      {children}
    </section>
  )
}

/** Every part of the kit in every state, for the eye. */
export function Gallery() {
  const m = useMessages(messages)
  return (
    <Labels messages={messages}>
      <main className="preview">
        <Show title={m.tags}>
          <div className="preview-row">
            {taskState.list.map(({ value }) => (
              <ChoiceLabel key={value} choices={taskState} value={value} />
            ))}
            <TimeText at={new Date().toISOString()} />
          </div>
          <Facts
            wide={['remark']}
            of={{ name: 'part-1', port: 8080, at: <TimeText at={null} />, remark: m.emptyHint }}
          />
        </Show>
        <Show title={m.remarks}>
          {(['info', 'good', 'warn', 'bad'] as const).map((tone) => (
            <Callout key={tone} tone={tone} title={m.emptyHint} />
          ))}
        </Show>
        <Show title={m.buttons}>
          <Acts />
        </Show>
        <Show title={m.fieldsTitle}>
          <Fields />
        </Show>
        <Show title={m.lists}>
          {states.map((state, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the states never change places
            <ListTable key={at} messages={messages} list={state} columns={columns} />
          ))}
        </Show>
        <Show title={m.charts}>
          <LineChart
            label={m.charts}
            ticks={rows.map(({ name }) => name)}
            series={[
              { name: m.fields.size, values: [12, 900, 1_500, 700, 2_100] },
              { name: m.fields.price, values: [400, 300, 1_100, 1_900, 1_600] },
            ]}
          />
        </Show>
      </main>
    </Labels>
  )
}

function Acts() {
  const m = useMessages(messages)
  const runner = useActions()
  const [isOpen, setOpen] = useState(false)
  const wait = () => new Promise((resolve) => setTimeout(() => resolve({}), 1_000))
  return (
    <div className="preview-row">
      <RowActions
        name="part-1"
        runner={runner}
        acts={[
          action(m.edit, { run: wait }),
          danger(m.remove, { confirm: m.removeQuestion, ask: <ReasonField />, run: wait }),
          danger(`${m.remove} 2`, { blocked: m.inUse, run: wait }),
          action(`${m.edit} 2`, { blocked: m.inUse, run: wait }),
        ]}
      />
      <Button onClick={() => setOpen(true)}>{m.openForm}</Button>
      {isOpen && <PartForm onClose={() => setOpen(false)} />}
      {runner.host}
    </div>
  )
}

function PartForm({ onClose }: { onClose: () => void }) {
  const m = useMessages(messages)
  const form = useForm<{ name: string; port: number }>({ defaultValues: {} })
  const errors = [{ field: 'port', code: 'taken', message: m.inUse }]
  const refuse = () => Promise.reject(new ApiFailure({ status: 4000, httpStatus: 400, msg: '', errors }))
  return (
    <FormDrawer form={form} save={refuse} title={m.openForm} messages={messages} onClose={onClose}>
      <TextField name="name" rules={[required]} />
      <NumberField name="port" rules={[port]} />
    </FormDrawer>
  )
}

function Fields() {
  const m = useMessages(messages)
  const form = useForm<Record<string, unknown>>({ defaultValues: { state: 'running', open: true } })
  const check = () => void form.validate()
  return (
    <div className="preview-form">
      <FieldArea form={form} onSubmit={check}>
        <TextField name="name" rules={[required]} hint={m.emptyHint} />
        <TextField name="phone" rules={[phone]} />
        <NumberField name="port" rules={[required, port]} />
        <ChoiceField name="state" choices={taskState} />
        <SwitchField name="open" />
        <TimeField name="at" rules={[required]} />
        <SecretField name="secret" state={{ isSet: true, fingerprint: '9f86d081' }} />
        <TextAreaField name="remark" maxLength={200} />
        <Button type="primary" onClick={check}>
          {m.check}
        </Button>
      </FieldArea>
    </div>
  )
}

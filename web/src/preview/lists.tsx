import { useState } from 'react'
import { useMessages } from '@/i18n/messages'
import { LineChart } from '@/kit/chart/chart'
import { Sparkline } from '@/kit/chart/sparkline'
import { ChoiceLabel } from '@/kit/choices'
import { CopyButton } from '@/kit/copy-button'
import { Facts } from '@/kit/detail/facts'
import { Outcome } from '@/kit/detail/history'
import { DeviceText } from '@/kit/device-text'
import { LatePicture } from '@/kit/image/late-picture'
import { Thumbs } from '@/kit/image/thumb'
import { columnsOf } from '@/kit/list/columns'
import type { FilterValues } from '@/kit/list/filter'
import { FilterFace } from '@/kit/list/filter-face'
import { ChoiceFilter, ListProvider, TextFilter, TimeRangeFilter } from '@/kit/list/filters'
import { ListTable } from '@/kit/list/list-table'
import type { List } from '@/kit/list/use-list'
import { ReferenceFilter } from '@/kit/reference/reference-filter'
import { ReferenceText } from '@/kit/reference/reference-text'
import type { Reference } from '@/kit/reference/source'
import { RichText } from '@/kit/rich-text/rich-text'
import { taskState } from '@/kit/task/task-messages'
import { TimeText } from '@/kit/time-text'
import { browserName } from '@/rules/browser'
import { Callout } from '@/ui/callout'
import { messages } from './messages'
import { brokenPicture, failure, goneRoom, latePicture, pictures, rooms } from './samples'

export interface Part {
  id: number
  name: string
  state: string
  room: Reference | null
  pictures: ReturnType<typeof pictures>
  size: number
  price: number
  count: number | null
  open: boolean
  at: string
}

const c = columnsOf<Part>()
export const columns = [
  c.detail('name'),
  c.choice('state', taskState),
  c.reference('room', (id) => `/rooms/${id}`),
  c.image('pictures'),
  c.money('price'),
  c.number('count'),
  c.bytes('size'),
  c.flag('open'),
  c.time('at'),
]

export function useRows(): Part[] {
  const m = useMessages(messages)
  const roomOf = [{ id: 1, name: m.roomName(1) }, { id: goneRoom, name: null }, null]
  return taskState.list.map(({ value }, at) => ({
    id: at + 1,
    name: at === 2 ? m.longText : m.sample(at + 1),
    state: String(value),
    room: roomOf[at % 3] ?? null,
    pictures: pictures().slice(0, at % 4),
    size: 1024 ** (at + 1),
    price: 10 ** (at + 2) + 5,
    count: at === 1 ? null : 7 ** at,
    open: at % 2 === 0,
    at: new Date(Date.now() - 40 ** (at + 2) * 1_000).toISOString(),
  }))
}

const still = () => undefined
export const blank: List<Part> = {
  operation: 'clientUserPage',
  rows: [],
  total: 0,
  filter: {},
  page: 1,
  pageSize: 20,
  sort: undefined,
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

export function Lists() {
  const rows = useRows()
  const list: List<Part> = { ...blank, rows, total: 1_234_567, sort: { key: 'name', order: 'asc' } }
  const states: List<Part>[] = [
    list,
    { ...list, isFetching: true },
    { ...list, rows: [], page: 9 },
    { ...blank, isLoading: true },
    blank,
    { ...blank, isFiltered: true },
    { ...blank, error: failure() },
  ]
  return states.map((state, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the states never change places
    <ListTable key={at} messages={messages} list={state} columns={columns} />
  ))
}

export function Filters() {
  const [filter, setFilter] = useState<FilterValues>({ roomId: 42 })
  const list: List = { ...(blank as List), filter, setFilter: (change) => setFilter({ ...filter, ...change }) }
  return (
    <ListProvider value={list}>
      <div className="preview-row">
        <TextFilter name="keyWord" />
        <ChoiceFilter name="state" choices={taskState} />
        <ReferenceFilter name="roomId" source={rooms} />
        <ReferenceFilter name="room" source={rooms} waits />
        <TimeRangeFilter name="at" />
      </div>
      <div className="preview-row">
        <FilterFace value="chip">
          <ReferenceFilter name="roomId" source={rooms} />
        </FilterFace>
      </div>
    </ListProvider>
  )
}

export function Cells() {
  const m = useMessages(messages)
  return (
    <>
      <div className="preview-row">
        {taskState.list.map(({ value }) => (
          <ChoiceLabel key={value} choices={taskState} value={value} />
        ))}
        <TimeText at={new Date().toISOString()} />
        <DeviceText name={browserName('Chrome/140.0')} />
        <DeviceText name={null} />
        <Outcome status={0} statusName={m.edit} />
        <Outcome status={1} statusName={m.failure} />
        <CopyButton text={m.sample(1)} />
      </div>
      <div className="preview-row">
        <ReferenceText of={{ id: 1, name: m.roomName(1) }} to="/rooms/1" />
        <ReferenceText of={{ id: 1, name: m.roomName(1) }} />
        <ReferenceText of={{ id: goneRoom, name: null }} />
        <ReferenceText of={null} />
      </div>
      <div className="preview-row">
        <Thumbs of={pictures()[0]} />
        <Thumbs of={pictures()} />
        <Thumbs of={brokenPicture()} />
        <Thumbs of={null} />
        <LatePicture load={latePicture} name={m.sample(1)} className="preview-picture" />
      </div>
      <Facts
        wide={['remark', 'content']}
        of={{
          name: m.sample(1),
          port: 8080,
          at: <TimeText at={null} />,
          phone: null,
          remark: m.longText,
          content: <RichText html={m.html} />,
        }}
      />
    </>
  )
}

export function Remarks() {
  const m = useMessages(messages)
  return (['info', 'good', 'warn', 'bad'] as const).map((tone) => (
    <Callout key={tone} tone={tone} title={m.emptyHint}>
      {m.longText}
    </Callout>
  ))
}

export function Charts() {
  const m = useMessages(messages)
  return (
    <>
      <LineChart
        label={m.parts.charts}
        ticks={[1, 2, 3, 4, 5].map(m.sample)}
        series={[
          { name: m.fields.size, values: [12, 900, 1_500, 700, 2_100] },
          { name: m.fields.price, values: [400, 300, 1_100, 1_900, 1_600] },
        ]}
      />
      <div className="preview-row">
        <Sparkline values={[12, 900, 1_500, null, 700, 2_100]} />
        <Sparkline values={[7, 7, 7]} />
        <Sparkline values={[]} />
      </div>
    </>
  )
}

import type { RowOf } from '@/api/call'
import { words as cardEventWords } from '@/api/words/CardEventView'
import { defineMessages } from '@/i18n/messages'
import { ChoiceLabel, type Choices } from '@/kit/choices'
import { columnsOf } from '@/kit/list/columns'
import { defineFilter } from '@/kit/list/filter'
import { ListTable } from '@/kit/list/list-table'
import { useInnerList } from '@/kit/list/use-list'
import { axis, fact, lifecycle, maintenance, occupancy, power, source } from '../choices'

type Event = RowOf<'cardEvents'>

const messages = defineMessages({
  title: ['时间线', 'Timeline'],
  empty: ['还没有事件', 'No events yet'],
  emptyHint: ['状态、位置或资料变化时会记在这里', 'Changes of state, position or record appear here'],
  fields: cardEventWords,
})

const filter = defineFilter({})
const c = columnsOf<Event>()

/** The signs of the codes of each axis; of the others the server says in words what changed. */
const words: Partial<Record<number, Choices>> = {
  [axis.value.lifecycle]: lifecycle,
  [axis.value.power]: power,
  [axis.value.wantedPower]: power,
  [axis.value.reached]: fact,
  [axis.value.tcpOpen]: fact,
  [axis.value.adbAnswers]: fact,
  [axis.value.booted]: fact,
  [axis.value.occupancy]: occupancy,
  [axis.value.maintenance]: maintenance,
}

function Change({ event }: { event: Event }) {
  const choices = words[event.axis]
  if (!choices) return event.change || '—'
  return (
    <span className="device-facts">
      <ChoiceLabel choices={choices} value={event.from} />→<ChoiceLabel choices={choices} value={event.to} />
    </span>
  )
}

const columns = [
  c.time('at'),
  c.choice('axis', axis),
  c.custom('change', (event) => <Change event={event} />),
  c.choice('source', source),
  c.text('by'),
  c.text('reason'),
]

/** What happened to a card, newest first. */
export function Timeline({ id }: { id: number }) {
  const list = useInnerList('cardEvents', filter, { id })
  return (
    <div className="kit-inner">
      <ListTable
        messages={messages}
        list={list}
        columns={columns}
        exports={{ operation: 'cardEventsExport', need: 'device:export' }}
      />
    </div>
  )
}

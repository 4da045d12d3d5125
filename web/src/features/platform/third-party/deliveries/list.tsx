import { useCan } from '@/access/permissions'
import type { RowOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { lazyDetail } from '@/kit/detail/lazy-detail'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter, idParam, textParam, timeParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter, TimeRangeFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { ReferenceFilter } from '@/kit/reference/reference-filter'
import { deliveryState, hookEvent, hookFailure } from '../../choices'
import { apps, openAppPath } from '../../links'
import { deliveryMessages } from '../messages'
import { useDeliveryActs } from './acts'
import { deliveryColumns } from './columns'

const Detail = lazyDetail('openDeliveryGet', () => import('./detail'))

const filter = defineFilter({
  keyWord: textParam(),
  state: choiceParam(deliveryState),
  kind: choiceParam(hookEvent),
  appId: idParam(),
  startTime: timeParam(),
  endTime: timeParam(),
})

const c = columnsOf<RowOf<'openDeliveryList'>>()

const columnsWith = (to: typeof openAppPath | undefined) => [
  c.detail('event', { isCode: true }),
  c.time('createdAt', { importance: 4 }),
  c.reference('app', to, { importance: 3 }),
  ...deliveryColumns,
  c.number('tries', { importance: 2 }),
  c.number('status', { importance: 2 }),
  c.choice('failure', hookFailure, { importance: 3 }),
  c.time('nextAt', { importance: 1 }),
  c.time('triedAt', { spare: true }),
  c.time('deliveredAt', { spare: true }),
  c.number('millis', { spare: true }),
  c.code('eventId', { spare: true }),
]
const linked = columnsWith(openAppPath)
const unlinked = columnsWith(undefined)

/** What applications were told: what has become of it, and sent again by hand. */
export default function Deliveries() {
  const m = useMessages(deliveryMessages)
  const list = useList('openDeliveryList', filter)
  const acts = useDeliveryActs()
  const mayListApps = useCan()('openApp:list')
  return (
    <ListPage
      messages={deliveryMessages}
      list={list}
      columns={mayListApps ? linked : unlinked}
      nameOf={({ event, subject }) => `${event} ${subject}`}
      exports={{ operation: 'openDeliveryExport', need: 'openDelivery:export' }}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={m.search} />
          <ChoiceFilter name="state" choices={deliveryState} />
          <ChoiceFilter name="kind" choices={hookEvent} />
          <ReferenceFilter name="appId" source={apps} />
          <TimeRangeFilter name="createdAt" />
        </>
      }
      rowActions={acts.of}
      bulkActions={({ selection }) => acts.ofMany(selection)}
      detail={(id, close) => <Detail id={Number(id)} acts={acts.of} onClose={close} />}
    />
  )
}

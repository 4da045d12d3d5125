import { useCan } from '@/access/permissions'
import type { RowOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter, idParam, textParam, timeParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter, TimeRangeFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { ReferenceFilter } from '@/kit/reference/reference-filter'
import { openOutcome } from '../choices'
import { apps, openAppPath } from '../links'
import { callColumns } from './call-columns'
import { callMessages } from './messages'

const filter = defineFilter({
  keyWord: textParam(),
  appId: idParam(),
  outcome: choiceParam(openOutcome),
  startTime: timeParam(),
  endTime: timeParam(),
})

const c = columnsOf<RowOf<'openCallList'>>()

const columnsWith = (to: typeof openAppPath | undefined) => [
  c.time('at', { pin: 'start' }),
  c.reference('app', to, { importance: 3 }),
  ...callColumns,
  c.number('status', { importance: 2 }),
  c.number('millis', { importance: 1 }),
  c.code('ip', { importance: 1 }),
  c.code('keyCode', { spare: true }),
]
const linked = columnsWith(openAppPath)
const unlinked = columnsWith(undefined)

/** What applications called: when, from where, with what outcome. */
export default function Calls() {
  const m = useMessages(callMessages)
  const list = useList('openCallList', filter)
  const mayListApps = useCan()('openApp:list')
  return (
    <ListPage
      messages={callMessages}
      list={list}
      columns={mayListApps ? linked : unlinked}
      exports={{ operation: 'openCallExport', need: 'openCall:export' }}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={m.search} />
          <ReferenceFilter name="appId" source={apps} />
          <ChoiceFilter name="outcome" choices={openOutcome} />
          <TimeRangeFilter name="at" />
        </>
      }
    />
  )
}

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

const columns = [
  c.time('at', { pin: 'start' }),
  c.reference('app', openAppPath, { importance: 3 }),
  ...callColumns,
  c.code('keyCode', { spare: true }),
]

/** What applications called: when, from where, with what outcome. */
export default function Calls() {
  const m = useMessages(callMessages)
  const list = useList('openCallList', filter)
  return (
    <ListPage
      messages={callMessages}
      list={list}
      columns={columns}
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

import type { RowOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { DeviceText } from '@/kit/device-text'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter, textParam, timeParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter, TimeRangeFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { freeText } from '@/ui/data-table'
import { clientType, loginMethod, recordKind } from '../choices'
import { clientUserPath } from '../links'
import { messages } from './messages'

type ClientUserRecord = RowOf<'clientUserRecords'>

const filter = defineFilter({
  keyWord: textParam(),
  kind: choiceParam(recordKind),
  startTime: timeParam(),
  endTime: timeParam(),
})

const c = columnsOf<ClientUserRecord>()

const columns = [
  c.time('at', { pin: 'start' }),
  c.choice('kind', recordKind, { importance: 4 }),
  c.reference('user', clientUserPath, { importance: 3 }),
  c.code('phone', { importance: 2 }),
  c.code('ip', { importance: 3 }),
  c.custom('deviceName', ({ deviceName }) => <DeviceText name={deviceName} />, { ...freeText, importance: 1 }),
  c.choice('clientType', clientType),
  c.code('clientVersion'),
  c.choice('loginMethod', loginMethod),
]

/** Who registered, signed in and signed out: when, from where, with what. */
export default function ClientUserRecordsPage() {
  const m = useMessages(messages)
  const list = useList('clientUserRecords', filter)
  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      exports={{ operation: 'clientUserRecordExport', need: 'clientUserRecord:export' }}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={m.search} />
          <ChoiceFilter name="kind" choices={recordKind} />
          <TimeRangeFilter name="at" />
        </>
      }
    />
  )
}

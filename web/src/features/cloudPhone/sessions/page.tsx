import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { yesNo } from '@/kit/choices'
import { choiceParam, defineFilter, idParam, textParam, timeParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter, TimeRangeFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { ReferenceFilter } from '@/kit/reference/reference-filter'
import { sessionEnd } from '../choices'
import { phones } from '../links'
import { rooms } from '../places'
import { columns } from './columns'
import { useLiveSessions } from './live'
import { messages } from './messages'

const filter = defineFilter({
  keyWord: textParam(),
  roomId: idParam(),
  isOn: choiceParam(yesNo),
  isUsed: choiceParam(yesNo),
  phoneId: idParam(),
  why: choiceParam(sessionEnd),
  byRule: choiceParam(yesNo),
  startTime: timeParam(),
  endTime: timeParam(),
  leftStart: timeParam(),
  leftEnd: timeParam(),
})

/** How many there are of a kind: the server keeps that counted. */
function useTotal(of: { isOn?: boolean; isUsed?: boolean }) {
  const query = { ...of, pageNum: 1, pageSize: 1 }
  return useApiQuery('phoneSessionList', { query }, { keepPrevious: true, suppressNotice: true }).data?.total
}

/** Each stay of a phone on a card: from when to when, who uses it, and since when. */
export default function SessionsPage() {
  const m = useMessages(messages)
  const list = useList('phoneSessionList', filter)
  useLiveSessions()
  const [all, used, on] = [useTotal({}), useTotal({ isUsed: true }), useTotal({ isOn: true })]
  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      nameOf={({ phone }) => phone.name ?? String(phone.id)}
      views={[
        { label: m.viewUsed, filter: { isUsed: true }, count: used },
        { label: m.viewOn, filter: { isOn: true }, count: on },
      ]}
      all={all}
      exports={{ operation: 'phoneSessionExport', need: 'phoneSession:export' }}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={m.search} />
          <ReferenceFilter name="roomId" source={rooms} width={140} />
          <ChoiceFilter name="isUsed" choices={yesNo} />
          <ChoiceFilter name="isOn" choices={yesNo} />
          <TimeRangeFilter name="beganAt" />
          <TimeRangeFilter name="endedAt" from="leftStart" to="leftEnd" />
          <ChoiceFilter name="why" choices={sessionEnd} />
          <ChoiceFilter name="byRule" choices={yesNo} />
          <ReferenceFilter name="phoneId" source={phones} />
        </>
      }
    />
  )
}

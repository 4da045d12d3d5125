import { useApiQuery } from '@/api/query'
import { sorts } from '@/api/words/BackupView'
import { useMessages } from '@/i18n/messages'
import { yesNo } from '@/kit/choices'
import { lazyDetail } from '@/kit/detail/lazy-detail'
import { choiceParam, defineFilter, idParam, textParam, timeParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter, TimeRangeFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { ReferenceFilter } from '@/kit/reference/reference-filter'
import { users } from '../../clientUser/links'
import { phones } from '../../cloudPhone/links'
import { backupKind, backupState } from '../choices'
import { nodes } from '../links'
import { useBackupActs } from './acts'
import { columns } from './columns'
import { useLiveBackups } from './live'
import { messages } from './messages'

const { failed } = backupState.value

const Detail = lazyDetail('backupGet', () => import('./detail'))

const filter = defineFilter(
  {
    keyWord: textParam(),
    state: choiceParam(backupState),
    kind: choiceParam(backupKind),
    nodeId: idParam(),
    isVerified: choiceParam(yesNo),
    isLive: choiceParam(yesNo),
    isKept: choiceParam(yesNo),
    isDamaged: choiceParam(yesNo),
    userId: idParam(),
    phoneId: idParam(),
    image: textParam(),
    startTime: timeParam(),
    endTime: timeParam(),
  },
  sorts,
)

/** How many there are of a kind: the server keeps that counted. */
function useTotal(of: { state?: typeof failed; isLive?: boolean; isVerified?: boolean }) {
  const query = { ...of, pageNum: 1, pageSize: 1 }
  return useApiQuery('backupList', { query }, { keepPrevious: true, suppressNotice: true }).data?.total
}

/** Copies of phones: which there are, what became of them, and how they are opened. */
export default function BackupsPage() {
  const m = useMessages(messages)
  const list = useList('backupList', filter)
  const acts = useBackupActs()
  useLiveBackups()
  const [all, unread] = [useTotal({}), useTotal({ isVerified: false })]
  const [live, notMade] = [useTotal({ isLive: true }), useTotal({ state: failed })]
  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      exports={{ operation: 'backupExport', need: 'backup:export' }}
      nameOf={({ phone }) => phone.name ?? String(phone.id)}
      views={[
        { label: m.viewUnread, filter: { isVerified: false }, count: unread },
        { label: m.viewLive, filter: { isLive: true }, count: live },
        { label: m.viewFailed, filter: { state: failed }, count: notMade },
      ]}
      all={all}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={m.search} />
          <ChoiceFilter name="state" choices={backupState} />
          <ReferenceFilter name="nodeId" source={nodes} />
          <ChoiceFilter name="isVerified" choices={yesNo} />
          <ChoiceFilter name="isLive" choices={yesNo} />
          <TimeRangeFilter name="beganAt" />
          <ReferenceFilter name="userId" source={users} />
          <ReferenceFilter name="phoneId" source={phones} />
          <TextFilter name="image" />
          <ChoiceFilter name="kind" choices={backupKind} />
          <ChoiceFilter name="isKept" choices={yesNo} />
          <ChoiceFilter name="isDamaged" choices={yesNo} />
        </>
      }
      rowActions={acts.of}
      detail={(id, close) => <Detail id={Number(id)} acts={acts.of} onClose={close} />}
    >
      {acts.host}
    </ListPage>
  )
}

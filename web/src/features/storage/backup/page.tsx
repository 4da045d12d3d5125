import { sorts } from '@/api/words/BackupView'
import { useMessages } from '@/i18n/messages'
import { yesNo } from '@/kit/choices'
import { lazyDetail } from '@/kit/detail/lazy-detail'
import { choiceParam, defineFilter, idParam, textParam, timeParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter, TimeRangeFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { ReferenceFilter } from '@/kit/reference/reference-filter'
import { backupKind, backupState } from '../choices'
import { nodes } from '../links'
import { useBackupActs } from './acts'
import { columns } from './columns'
import { useLiveBackups } from './live'
import { messages } from './messages'

const Detail = lazyDetail('backupGet', () => import('./detail'))

const filter = defineFilter(
  {
    keyWord: textParam(),
    state: choiceParam(backupState),
    kind: choiceParam(backupKind),
    nodeId: idParam(),
    isKept: choiceParam(yesNo),
    isDamaged: choiceParam(yesNo),
    phoneId: idParam(),
    startTime: timeParam(),
    endTime: timeParam(),
  },
  sorts,
)

/** Copies of phones: which there are, what became of them, and how they are opened. */
export default function BackupsPage() {
  const m = useMessages(messages)
  const list = useList('backupList', filter)
  const acts = useBackupActs()
  useLiveBackups()
  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      exports={{ operation: 'backupExport', need: 'backup:export' }}
      nameOf={({ phone }) => phone.name ?? String(phone.id)}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={m.search} />
          <ChoiceFilter name="state" choices={backupState} />
          <ReferenceFilter name="nodeId" source={nodes} />
          <ChoiceFilter name="kind" choices={backupKind} />
          <ChoiceFilter name="isKept" choices={yesNo} />
          <ChoiceFilter name="isDamaged" choices={yesNo} />
          <TimeRangeFilter name="beganAt" />
        </>
      }
      rowActions={acts.of}
      detail={(id, close) => <Detail id={Number(id)} acts={acts.of} onClose={close} />}
    >
      {acts.host}
    </ListPage>
  )
}

import { Link } from 'react-router'
import type { RowOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { words as cardTaskWords } from '@/api/words/CardTaskView'
import { useLanguage } from '@/i18n/language'
import { defineMessages, useMessages } from '@/i18n/messages'
import { ActionButtons } from '@/kit/action-buttons'
import { ChoiceLabel, choiceText } from '@/kit/choices'
import { columnsOf } from '@/kit/list/columns'
import { defineFilter } from '@/kit/list/filter'
import { ListTable } from '@/kit/list/list-table'
import { useInnerList } from '@/kit/list/use-list'
import { Loaded } from '@/kit/loaded'
import { TimeText } from '@/kit/time-text'
import { useActions } from '@/kit/use-actions'
import { freeText } from '@/ui/data-table'
import { Placeholder } from '@/ui/placeholder'
import { operationPath } from '../links'
import { useCardFetch } from '../operations/acts'
import { operationKind, taskStep } from '../operations/choices'
import { useLiveOperations } from '../operations/live'
import { taskMessages } from '../operations/messages'
import { CardPicture } from '../operations/picture'
import { Said } from '../operations/said'

const messages = defineMessages({
  title: ['任务', 'Tasks'],
  empty: ['还没有对这张卡执行过操作', 'No operations on this card yet'],
  emptyHint: ['批量操作会出现在这里', 'Operations on this card appear here'],
  shoot: ['截取当前画面', 'Take a screenshot'],
  noScreen: ['还没有截图', 'No screenshot yet'],
  noScreenHint: ['截图由机房代理从卡上取回', 'The room agent fetches it from the card'],
  waiting: ['正在等待设备返回画面…', 'Waiting for the card to return its screen…'],
  fields: {
    ...cardTaskWords,
    said: taskMessages.tree.fields.said,
  },
})

type CardTask = RowOf<'operationCardTasks'>

const filter = defineFilter({})
const c = columnsOf<CardTask>()

function KindLink({ row }: { row: CardTask }) {
  const language = useLanguage()
  return (
    <Link className="sky-link" to={operationPath(row.operationId)}>
      {choiceText(operationKind, row.kind, language)}
    </Link>
  )
}

const columns = [
  c.custom('kind', (row) => <KindLink row={row} />),
  c.custom('task.state', ({ task }) => <ChoiceLabel choices={taskStep} value={task.state} />),
  c.custom('said', ({ task }) => <Said task={task} />, freeText),
  c.text('createdBy'),
  c.time('createdAt'),
]

/** What operations did at a card, newest first. */
export function CardTasks({ id }: { id: number }) {
  const list = useInnerList('operationCardTasks', filter, { id })
  useLiveOperations(['operationCardTasks'])
  return (
    <div className="kit-inner">
      <ListTable
        messages={messages}
        list={list}
        columns={columns}
        exports={{ operation: 'operationCardTasksExport', need: 'operation:export' }}
      />
    </div>
  )
}

interface CardScreenProps {
  id: number
  name: string
  /** It stands beside other things, and says little while there is no screen. */
  isBeside?: boolean
  /** Screens of before are nobody's business: another phone was on the card. */
  since?: string
}

/** The last screen that a card gave, and how to get a new one. */
export function CardScreen({ id, name, isBeside, since }: CardScreenProps) {
  const m = useMessages(messages)
  const runner = useActions()
  const shoot = useCardFetch()
  useLiveOperations(['operationCardTasks'])
  const kind = operationKind.value.screenshot
  const query = useApiQuery('operationCardTasks', { path: { id }, query: { kind, pageNum: 1, pageSize: 20 } })
  return (
    <>
      <div className="kit-tools">
        <ActionButtons
          acts={[shoot(m.shoot, id)]}
          runner={runner}
          target={name}
          primary={!isBeside}
          {...(isBeside && { size: 'small' as const })}
        />
      </div>
      <Loaded query={query}>
        {({ list: all }) => {
          const list = all.filter(({ createdAt }) => since === undefined || createdAt >= since)
          const newest = list[0]
          const last = list.find(({ task }) => task.hasFile)
          const isWaiting = newest && newest !== last && newest.task.endedAt === null
          return (
            <div className="operation-screen">
              {isWaiting && <p aria-live="polite">{m.waiting}</p>}
              {newest && newest !== last && !isWaiting && <Said task={newest.task} />}
              {last ? (
                <>
                  <CardPicture key={`${last.id}.${last.task.attempt}`} task={last.id} name={name} />
                  <TimeText at={last.task.endedAt ?? null} />
                </>
              ) : (
                !isWaiting &&
                (isBeside ? (
                  <span className="sky-soft">{m.noScreen}</span>
                ) : (
                  <Placeholder title={m.noScreen} hint={m.noScreenHint} />
                ))
              )}
            </div>
          )
        }}
      </Loaded>
      {runner.host}
    </>
  )
}

import { useQueryClient } from '@tanstack/react-query'
import { useCan } from '@/access/permissions'
import type { DataOf, RowOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { ActionButtons } from '@/kit/action-buttons'
import { ChoiceLabel, choiceText } from '@/kit/choices'
import { DetailDrawer } from '@/kit/detail/detail-drawer'
import { Facts } from '@/kit/detail/facts'
import { columnsOf } from '@/kit/list/columns'
import { ExportButton } from '@/kit/list/export-button'
import { choiceParam, defineFilter, textParam } from '@/kit/list/filter'
import { ListTable } from '@/kit/list/list-table'
import { type List, useInnerList } from '@/kit/list/use-list'
import { TimeText } from '@/kit/time-text'
import { useActions } from '@/kit/use-actions'
import { grouped } from '@/rules/format'
import { Button } from '@/ui/button'
import { yesNo } from '../choices'
import { CardLink } from '../links'
import { operationKind, operationState, taskStep } from './choices'
import { useOperationControl } from './control'
import { useLiveOperations } from './live'
import { messages, taskMessages } from './messages'
import { OperationProgress } from './progress'
import { Said } from './said'
import { ScreenWall } from './wall'

type Operation = DataOf<'operationGet'>
type Task = RowOf<'operationTasks'>

/** One operation: how far it is, why some did not succeed, and what each card said. */
export default function OperationDetail({ id, onClose }: { id: number; onClose: () => void }) {
  const m = useMessages(messages)
  const language = useLanguage()
  const query = useApiQuery('operationGet', { path: { id } })
  const { control } = useOperationControl()
  useLiveOperations(useQueryClient(), ['operationGet', 'operationTasks'], id)
  const name = ({ id, kind }: Operation) => `${choiceText(operationKind, kind, language)} #${id}`
  const can = useCan()
  return (
    <DetailDrawer
      messages={messages}
      query={query}
      title={name}
      status={({ state }) => <ChoiceLabel choices={operationState} value={state} />}
      name={name}
      actions={control}
      tabs={(operation) => [
        { key: 'tasks', label: m.tasks, content: <Tasks operation={operation} /> },
        ...(operation.kind === operationKind.value.screenshot && can('device:files')
          ? [{ key: 'wall', label: m.wall, content: <ScreenWall operation={operation.id} /> }]
          : []),
        { key: 'about', label: m.about, content: <About operation={operation} /> },
      ]}
      onClose={onClose}
    />
  )
}

function About({ operation }: { operation: Operation }) {
  const { detail, reason, why, forced, createdBy, approvedBy } = operation
  const time = (at: string | null | undefined) => <TimeText at={at ?? null} />
  return (
    <Facts
      wide={['detail', 'reason', 'why']}
      of={{
        detail: detail && <pre className="operation-output">{detail}</pre>,
        reason,
        why,
        total: grouped(operation.total),
        usersHit: grouped(operation.usersHit),
        forced: <ChoiceLabel choices={yesNo} value={forced} />,
        seconds: operation.seconds,
        stopAtPercent: operation.stopAtPercent,
        perHost: operation.perHost,
        perFrame: operation.perFrame,
        perRoom: operation.perRoom,
        createdBy,
        approvedBy,
        notBefore: time(operation.notBefore),
        expiresAt: time(operation.expiresAt),
        createdAt: time(operation.createdAt),
        startedAt: time(operation.startedAt),
        finishedAt: time(operation.finishedAt),
      }}
    />
  )
}

const filter = defineFilter({ state: choiceParam(taskStep), code: textParam(64) })

const c = columnsOf<Task>()

const columns = [
  c.custom('address', ({ cardId, address }) => <CardLink id={cardId} name={address} />, { width: 150 }),
  c.choice('state', taskStep, { width: 95 }),
  c.custom('said', (task) => <Said task={task} />, { width: 265 }),
  c.time('endedAt'),
]

/** The cards of an operation; a press on a state or a reason shows those alone. */
function Tasks({ operation }: { operation: Operation }) {
  const m = useMessages(messages)
  const { id } = operation
  const can = useCan()
  const list = useInnerList('operationTasks', filter, { id })
  return (
    <div className="kit-inner">
      <div className="kit-detail-title">
        <OperationProgress of={operation} name={String(id)} />
        <span className="kit-gap" />
        {can('operation:export') && <ExportButton operation="operationExport" filter={list.request} label={m.export} />}
      </div>
      <States operation={operation} list={list} />
      <Reasons operation={operation} list={list} />
      <ListTable messages={taskMessages} list={list} columns={columns} />
      <span className="sky-soft">{operation.why && `${m.fields.why}: ${operation.why}`}</span>
    </div>
  )
}

type TaskList = List<Task, (typeof filter)['params']>

function States({ operation, list }: { operation: Operation; list: TaskList }) {
  const m = useMessages(messages)
  const language = useLanguage()
  const names = [
    'pending',
    'running',
    'succeeded',
    'failed',
    'skipped',
    'incompatible',
    'cancelled',
    'expired',
  ] as const
  const there = names.filter((name) => operation[name] > 0)
  const now = list.filter.state
  const show = (state: number | undefined) => list.setFilter({ state, code: undefined } as never)
  return (
    <fieldset className="device-facts operation-states" aria-label={m.fields.state}>
      <Button size="small" aria-pressed={now === undefined} onClick={() => show(undefined)}>
        {m.all} {grouped(operation.total)}
      </Button>
      {there.map((name) => {
        const value = taskStep.value[name]
        return (
          <Button
            key={name}
            size="small"
            type={now === value ? 'primary' : 'default'}
            aria-pressed={now === value}
            onClick={() => show(now === value ? undefined : value)}
          >
            {choiceText(taskStep, value, language)} {grouped(operation[name])}
          </Button>
        )
      })}
    </fieldset>
  )
}

/** Why some did not succeed, the most frequent first; what failed for one reason can be tried again alone. */
function Reasons({ operation, list }: { operation: Operation; list: TaskList }) {
  const m = useMessages(messages)
  const runner = useActions()
  const { retry, control } = useOperationControl()
  if (operation.reasons.length === 0) return null
  const mayRetry = control(operation).some(({ label }) => label === m.retry)
  return (
    <section aria-label={m.reasons}>
      <ul className="operation-reasons">
        {operation.reasons.map(({ state, code, words, count }) => (
          <li key={`${state} ${code}`}>
            <ChoiceLabel choices={taskStep} value={state} />
            <button type="button" className="sky-link" onClick={() => list.setFilter({ state, code } as never)}>
              {words}
            </button>
            <strong>{grouped(count)}</strong>
            {state === taskStep.value.failed && mayRetry && (
              <ActionButtons
                acts={[retry(operation.id, m.retryReason(grouped(count)), code)]}
                runner={runner}
                target={words}
                size="small"
              />
            )}
          </li>
        ))}
      </ul>
      {runner.host}
    </section>
  )
}

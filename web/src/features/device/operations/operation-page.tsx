import './operation.css'
import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { useOwnTitle } from '@/access/own-title'
import { useCan } from '@/access/permissions'
import type { DataOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { ActionButtons } from '@/kit/action-buttons'
import { ChoiceLabel, choiceText, yesNo } from '@/kit/choices'
import { Facts } from '@/kit/detail/facts'
import { HISTORY_NEED, History, historyMessages } from '@/kit/detail/history'
import { Labels } from '@/kit/labels'
import { ExportButton } from '@/kit/list/export-button'
import { Loaded } from '@/kit/loaded'
import { TimeText } from '@/kit/time-text'
import { useActions } from '@/kit/use-actions'
import { grouped } from '@/rules/format'
import { Placeholder } from '@/ui/placeholder'
import { Tabs } from '@/ui/tabs'
import { operationKind, operationTarget, taskStep } from './choices'
import type { Places } from './clusters'
import { useOperationControl } from './control'
import { OperationCounts, OperationFacts, OperationWhy, ToOperations } from './head'
import { useLiveOperations } from './live'
import { messages } from './messages'
import { paceOf } from './pace'
import { TaskPlaces } from './places'
import type { Hot } from './places-paint'
import { Reasons } from './reasons'
import { Results } from './results'
import { useShown } from './shown'
import { OperationState } from './state'
import { Stream } from './stream'
import { ScreenWall } from './wall'

type Operation = DataOf<'operationGet'>

/** Above this number of targets the picture of all of them is asked for less often. */
const many = 3_000

/** One operation, as a page: progress, for cards as they stand, why some did not succeed, and what ends just now. */
export default function OperationPage({ id }: { id: number }) {
  const m = useMessages(messages)
  const query = useApiQuery('operationGet', { path: { id } }, { suppressNotice: true })
  const total = query.data?.total ?? 0
  useLiveOperations(['operationGet', 'operationResults'], id)
  useLiveOperations(['operationPlaces', 'operationTasks'], id, total > many ? 4_000 : 800)
  const kind = query.data && operationKind.list.find(({ value }) => value === query.data?.kind)
  useOwnTitle(kind && [`${kind.label[0]} #${id}`, `${kind.label[1]} #${id}`])
  if (query.error && 'status' in query.error && query.error.status === 4004)
    return <Placeholder title={m.notFound} hint={m.notFoundHint} action={<ToOperations />} />
  return (
    <Labels messages={messages}>
      <Loaded query={query}>{(operation) => <Whole operation={operation} />}</Loaded>
    </Labels>
  )
}

function Whole({ operation }: { operation: Operation }) {
  const m = useMessages(messages)
  const language = useLanguage()
  const can = useCan()
  const runner = useActions()
  const { control } = useOperationControl()
  const [shown, show] = useShown()
  const [hot, setHot] = useState<Hot>()
  const [onlyFailed, setOnlyFailed] = useState(false)
  const { id } = operation
  // Only cards stand in racks.
  const hasPlaces = operation.target === operationTarget.value.card
  const places = useApiQuery('operationPlaces', { path: { id } }, { keepPrevious: true, enabled: hasPlaces })
  const state = onlyFailed ? taskStep.value.failed : shown.state
  const wanted = { ...shown, ...(state !== undefined && { state }) }
  const results = useApiQuery('operationResults', { path: { id }, query: wanted as never }, { keepPrevious: true })
  const name = `${choiceText(operationKind, operation.kind, language)} #${id}`
  const isLive = operation.finishedAt == null
  const ended = results.data?.flatMap(({ endedAt }) => (endedAt ? [Date.parse(endedAt)] : [])) ?? []
  const isWholeStream = wanted.state === undefined && wanted.code === undefined
  const pace = isWholeStream ? paceOf(ended, operation.pending + operation.running, Date.now()) : undefined
  return (
    <section className="operation-page" aria-label={name}>
      <div className="operation-card operation-head">
        <header className="operation-title">
          <ToOperations />
          <span className="sky-soft">/</span>
          <h2>{name}</h2>
          <OperationState of={operation} />
          <span className="kit-gap" />
          <span className="kit-tools">
            <ActionButtons acts={control(operation)} runner={runner} target={name} />
            {can('operation:export') && (
              <ExportButton operation="operationExport" filter={{ id, ...shown }} label={m.export} />
            )}
          </span>
        </header>
        <OperationFacts operation={operation} pace={pace} />
        <OperationWhy operation={operation} />
        <OperationCounts operation={operation} shown={shown} onShow={show} />
      </div>
      <div className="operation-body">
        <div className="operation-card operation-main">
          <Parts operation={operation} places={places} shown={shown} hot={hot} onHot={setHot} />
        </div>
        <div className="operation-side">
          <section className="operation-card operation-why" aria-label={m.reasons}>
            <header className="operation-card-head">
              <h2>{m.reasons}</h2>
            </header>
            <Reasons operation={operation} places={places.data} shown={shown} onShow={show} hot={hot} onHot={setHot} />
          </section>
          <Stream
            query={results}
            kind={operation.target}
            isLive={isLive}
            onlyFailed={onlyFailed}
            onOnlyFailed={setOnlyFailed}
            placeOf={usePlaceNames(places.data)}
          />
        </div>
      </div>
      {runner.host}
    </section>
  )
}

/** Kinds whose output is what they were started for. */
const { shell, pull, pullLog, screenshot } = operationKind.value
const prints: readonly number[] = [shell, pull, pullLog]

interface PartsProps {
  operation: Operation
  places: ReturnType<typeof useApiQuery<'operationPlaces'>>
  shown: ReturnType<typeof useShown>[0]
  hot: Hot | undefined
  onHot: (hot: Hot | undefined) => void
}

function Parts({ operation, places, shown, hot, onHot }: PartsProps) {
  const m = useMessages(messages)
  const { title: history } = useMessages(historyMessages)
  const can = useCan()
  const [search, setSearch] = useSearchParams()
  const { id, kind, target } = operation
  const hasPlaces = target === operationTarget.value.card
  const usual = hasPlaces && !prints.includes(kind) ? 'places' : 'results'
  const part = search.get('part') ?? usual
  const open = (key: string) =>
    setSearch(
      (now) => {
        const next = new URLSearchParams(now)
        if (key === usual) next.delete('part')
        else next.set('part', key)
        return next
      },
      { replace: true, preventScrollReset: true },
    )
  // Another choice begins at its first page.
  const key = JSON.stringify(shown)
  return (
    <Tabs
      className="kit-tabs operation-parts"
      activeKey={part}
      onChange={open}
      items={[
        ...(hasPlaces
          ? [
              {
                key: 'places',
                label: m.places,
                children: (
                  <Loaded query={places}>
                    {(found) => <TaskPlaces places={found} shown={shown} hot={hot} onHot={onHot} />}
                  </Loaded>
                ),
              },
            ]
          : []),
        { key: 'results', label: m.tasks, children: <Results key={key} id={id} kind={target} shown={shown} /> },
        ...(kind === screenshot && can('device:files')
          ? [{ key: 'wall', label: m.wall, children: <ScreenWall operation={id} /> }]
          : []),
        { key: 'about', label: m.about, children: <About operation={operation} /> },
        ...(can(HISTORY_NEED)
          ? [{ key: 'log', label: history, children: <History of={{ kind: 'operation', id }} /> }]
          : []),
      ]}
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
        mayHaveRun: grouped(operation.mayHaveRun),
        forced: <ChoiceLabel choices={yesNo} value={forced} />,
        // What only changes records waits for nothing.
        seconds: operation.target === operationTarget.value.card ? operation.seconds : null,
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

/** Where each card is, in words: frame, host and position. */
function usePlaceNames(places: Places | undefined): (card: number) => string | undefined {
  const names = useMemo(() => {
    const found = new Map<number, string>()
    for (const frame of places?.frames ?? [])
      for (const host of frame.hosts)
        host.cards.forEach((card, at) => {
          if (host.id) found.set(card, `${frame.name} ${host.name} / ${host.positions[at] || '—'}`)
        })
    return found
  }, [places])
  return (card) => names.get(card)
}

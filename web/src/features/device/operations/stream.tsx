import { useRef, useState } from 'react'
import type { DataOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { Loaded, type Loading } from '@/kit/loaded'
import { OneOf } from '@/kit/one-of'
import { formatDateTime } from '@/rules/format'
import { Button } from '@/ui/button'
import { PauseIcon, PlayIcon } from '@/ui/icons'
import { taskStep } from './choices'
import { messages } from './messages'
import { StepChip } from './step-chip'
import { TargetLink } from './target-link'

type Results = DataOf<'operationResults'>

interface StreamProps {
  query: Loading<Results>
  /** The kind of what the operation is done to. */
  kind: number
  isLive: boolean
  onlyFailed: boolean
  onOnlyFailed: (only: boolean) => void
  /** Where a target is, in words; nothing for what has no place. */
  placeOf: (target: number) => string | undefined
}

/** What ended last, the newest first. It stands still under the pointer, and while somebody has stopped it. */
export function Stream({ query, kind, isLive, onlyFailed, onOnlyFailed, placeOf }: StreamProps) {
  const m = useMessages(messages)
  const [isStopped, setStopped] = useState(false)
  const [isRead, setRead] = useState(false)
  const kept = useRef<Results>(undefined)
  if (!(isStopped || isRead) || kept.current === undefined) kept.current = query.data
  const label = isStopped ? m.goOnStream : m.stopStream
  return (
    <section className="operation-card operation-stream" aria-label={m.stream}>
      <header className="operation-card-head">
        <h2>{m.stream}</h2>
        {isLive && <span className="operation-live">{isStopped ? m.streamStopped : m.live}</span>}
        <span className="kit-gap" />
        <OneOf
          label={m.stream}
          value={onlyFailed}
          choices={[
            { value: false, label: m.all },
            { value: true, label: m.onlyFailed },
          ]}
          onChange={onOnlyFailed}
        />
        {isLive && (
          <Button
            size="small"
            aria-label={label}
            title={label}
            icon={isStopped ? <PlayIcon aria-hidden /> : <PauseIcon aria-hidden />}
            onClick={() => setStopped(!isStopped)}
          />
        )}
      </header>
      <Loaded query={{ ...query, data: kept.current }}>
        {(results) => (
          <ol onMouseEnter={() => setRead(true)} onMouseLeave={() => setRead(false)}>
            {results.length === 0 && <li className="operation-none">{m.noResults}</li>}
            {results.map((task) => (
              <li key={task.id} data-failed={task.state === taskStep.value.failed || undefined}>
                <time className="sky-soft">{task.endedAt && formatDateTime(new Date(task.endedAt)).slice(11)}</time>
                <StepChip step={task.state} />
                <TargetLink kind={kind} target={task.target} />
                <span className="operation-place" title={placeOf(task.target.id)}>
                  {placeOf(task.target.id)}
                </span>
                <span className="operation-took" title={[task.words, task.reason].filter(Boolean).join('\n')}>
                  {task.words || m.took((task.millis / 1000).toFixed(1))}
                </span>
              </li>
            ))}
          </ol>
        )}
      </Loaded>
    </section>
  )
}

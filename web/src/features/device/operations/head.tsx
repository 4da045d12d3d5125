import { Link } from 'react-router'
import { useScreenTitle } from '@/access/titles'
import type { DataOf } from '@/api/call'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { choiceText } from '@/kit/choices'
import { TimeText } from '@/kit/time-text'
import { formatDateTime, grouped } from '@/rules/format'
import { Callout } from '@/ui/callout'
import { operationState, taskStep } from './choices'
import { messages } from './messages'
import type { Pace } from './pace'
import { OperationBar } from './progress'
import type { Shown } from './shown'
import { TargetsLink } from './target-link'

type Operation = DataOf<'operationGet'>

/** Who began it and why, within which limits, how fast it is, and when it will be done. */
export function OperationFacts({ operation, pace }: { operation: Operation; pace: Pace | undefined }) {
  const m = useMessages(messages)
  const { createdBy, createdAt, reason, chosen, perHost, perFrame, perRoom, failed, total, stopAtPercent } = operation
  const isRunning = operation.state === operationState.value.running
  const limits = [
    perHost && m.limitHost(perHost),
    perFrame && m.limitFrame(perFrame),
    perRoom && m.limitRoom(perRoom),
  ].filter(Boolean)
  return (
    <div className="operation-facts">
      <span>
        {m.startedBy} <strong>{createdBy}</strong> <TimeText at={createdAt} />
      </span>
      <span>
        {m.chosen}{' '}
        {chosen.filter ? (
          <TargetsLink kind={operation.target} filter={chosen.filter}>
            {chosen.words}
          </TargetsLink>
        ) : (
          <strong>{chosen.words}</strong>
        )}
      </span>
      {operation.detail && (
        <span title={operation.detail}>
          {m.fields.detail} <strong>{operation.detail}</strong>
        </span>
      )}
      {reason && (
        <span title={reason}>
          {m.fields.reason} <strong>{reason}</strong>
        </span>
      )}
      {limits.length > 0 && (
        <span>
          {m.limits} <strong>{limits.join(m.comma)}</strong>
        </span>
      )}
      {isRunning && pace && (
        <span>
          {m.pace} <strong>{m.perMinute(grouped(pace.perMinute))}</strong>
        </span>
      )}
      {isRunning && pace && (
        <span>
          {m.expected} <strong>{formatDateTime(new Date(Date.now() + pace.left)).slice(11, 16)}</strong>
        </span>
      )}
      <span>
        {m.failureRate} <strong>{total === 0 ? 0 : ((failed / total) * 100).toFixed(1)}%</strong>
        {stopAtPercent < 100 && m.stopsAt(stopAtPercent)}
      </span>
    </div>
  )
}

/** Why it stands, if it does, or what it waits for. */
export function OperationWhy({ operation }: { operation: Operation }) {
  const m = useMessages(messages)
  const { paused, expired } = operationState.value
  const { retryAsked } = operation
  if (retryAsked) {
    const { by, count, words, confirmed } = retryAsked
    return (
      <Callout tone="warn" title={m.retryAsked(by, grouped(count), words)}>
        {confirmed && m.retryAskedRun}
      </Callout>
    )
  }
  if (!operation.why) return null
  return (
    <Callout tone={operation.state === paused || operation.state === expired ? 'warn' : 'info'} title={operation.why} />
  )
}

const steps = ['pending', 'running', 'succeeded', 'failed', 'skipped', 'incompatible', 'cancelled', 'expired'] as const

interface CountsProps {
  operation: Operation
  shown: Shown
  onShow: (shown: Shown) => void
}

/** The bar, and the count of each state; a click on one shows only its tasks, everywhere on the page. */
export function OperationCounts({ operation, shown, onShow }: CountsProps) {
  const m = useMessages(messages)
  const language = useLanguage()
  const { id, total, pending, running } = operation
  const there = steps.filter((name) => operation[name] > 0)
  return (
    <>
      <OperationBar of={operation} name={String(id)} isWide />
      <fieldset className="operation-counts" aria-label={m.fields.state}>
        <strong className="operation-done">
          {grouped(total - pending - running)} / {grouped(total)}
        </strong>
        <button type="button" aria-pressed={shown.state === undefined && !shown.code} onClick={() => onShow({})}>
          {m.all} <strong>{grouped(total)}</strong>
        </button>
        {there.map((name) => {
          const value = taskStep.value[name]
          return (
            <button
              key={name}
              type="button"
              data-step={name}
              aria-pressed={shown.state === value}
              onClick={() => onShow(shown.state === value ? {} : { state: value })}
            >
              {choiceText(taskStep, value, language)} <strong>{grouped(operation[name])}</strong>
            </button>
          )
        })}
        <span className="kit-gap" />
        <span className="sky-soft">{m.countsHint}</span>
      </fieldset>
    </>
  )
}

/** Where all operations are. */
export function ToOperations() {
  return (
    <Link className="sky-link" to="/device/operations">
      {useScreenTitle()}
    </Link>
  )
}

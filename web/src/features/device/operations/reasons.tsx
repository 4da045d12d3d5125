import type { DataOf } from '@/api/call'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import type { Action } from '@/kit/action'
import { ActionButtons } from '@/kit/action-buttons'
import { ChoiceLabel, choiceText } from '@/kit/choices'
import { useActions } from '@/kit/use-actions'
import { grouped } from '@/rules/format'
import { useOperationActs } from './acts'
import { isRetried, operationTarget, taskEffect, taskStep } from './choices'
import { type Cluster, clusterOf, type Places } from './clusters'
import { useOperationControl } from './control'
import { messages } from './messages'
import type { Hot } from './places-paint'
import type { Shown } from './shown'

type Operation = DataOf<'operationGet'>

interface ReasonsProps {
  operation: Operation
  places: Places | undefined
  shown: Shown
  onShow: (shown: Shown) => void
  hot: Hot | undefined
  onHot: (hot: Hot | undefined) => void
}

const effectNames = ['neverBegan', 'proved', 'unknown'] as const
/** The card was not reached: what helps is power, if it is a whole host. */
const unreached = new Set(['adb_refused', 'adb_unreachable', 'adb_timeout', 'adb_closed'])

/** Why tasks did not succeed, the most frequent reason first, with where they are and what helps. */
export function Reasons({ operation, places, shown, onShow, hot, onHot }: ReasonsProps) {
  const m = useMessages(messages)
  const language = useLanguage()
  const runner = useActions()
  const operate = useOperationActs()
  const { retry, control } = useOperationControl()
  const { reasons, target } = operation
  // What a failure has done is a question to a card: records are changed or not.
  const isOnCards = target === operationTarget.value.card
  if (reasons.length === 0) return <p className="operation-none">{m.noReasons}</p>
  const mayRetry = control(operation).some(({ label }) => label === m.retry)
  const isOn = (code: string, cluster: Cluster | undefined) =>
    hot?.code === code || (hot?.host !== undefined && hot.host === cluster?.host?.id)

  return (
    <>
      <ul className="kit-reasons">
        {reasons.map(({ state, code, words, count, ...effects }) => {
          const hasFailed = state === taskStep.value.failed
          const cluster = places && clusterOf(places, code, state)
          const host = cluster?.host
          const power = (host: { id: number }) =>
            operate({ filter: { hostId: host.id } }, 'many', ['powerCycle']).map(
              ({ group: _, ...act }) => ({ ...act, label: m.cycleHost, values: { 'options.reason': words } }) as Action,
            )
          const acts = [
            ...(hasFailed && host?.isWhole && unreached.has(code) ? power(host) : []),
            ...(isRetried(state) && mayRetry ? [retry(operation.id, m.retryReason(grouped(count)), code)] : []),
          ]
          return (
            <li
              key={`${state} ${code}`}
              data-hot={isOn(code, cluster) || undefined}
              onMouseEnter={() => onHot({ code })}
              onMouseLeave={() => onHot(undefined)}
            >
              <div className="kit-why">
                <ChoiceLabel choices={taskStep} value={state} />
                <button
                  type="button"
                  className="sky-link"
                  aria-pressed={shown.code === code && shown.state === state}
                  onClick={() => onShow({ state, code })}
                >
                  {words}
                </button>
                <strong>{grouped(count)}</strong>
                <span className="kit-gap" />
                <ActionButtons acts={acts} runner={runner} target={host ? host.name : words} size="small" />
              </div>
              <div className="sky-soft operation-where">
                {cluster && <Where cluster={cluster} />}
                {hasFailed &&
                  isOnCards &&
                  effectNames
                    .filter((name) => effects[name] > 0)
                    .map((name) => (
                      <button
                        key={name}
                        type="button"
                        className="sky-link sky-soft"
                        onClick={() => onShow({ state, code, effect: taskEffect.value[name] })}
                      >
                        {choiceText(taskEffect, taskEffect.value[name], language)} {grouped(effects[name])}
                      </button>
                    ))}
              </div>
            </li>
          )
        })}
      </ul>
      {runner.host}
    </>
  )
}

function Where({ cluster: { host, frame, frames, hosts } }: { cluster: Cluster }) {
  const m = useMessages(messages)
  if (host) return <span>{m.onHost(`${host.frame} · ${host.name}`, grouped(host.count), host.isWhole)}</span>
  if (frame) return <span>{m.inFrame(frame.name, grouped(frame.count))}</span>
  return <span>{m.spread(grouped(frames), grouped(hosts))}</span>
}

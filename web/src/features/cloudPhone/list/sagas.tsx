import { type ReactNode, Suspense } from 'react'
import { Link } from 'react-router'
import type { DataOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { ActionButtons } from '@/kit/action-buttons'
import { ChoiceLabel } from '@/kit/choices'
import { Loaded } from '@/kit/loaded'
import { TimeText } from '@/kit/time-text'
import { useActions } from '@/kit/use-actions'
import { CardLink } from '../../device/links'
import { backupPath, ExcludeButton } from '../../storage/links'
import { sagaKind, sagaState, sessionEnd, stepName, stepState } from '../choices'
import { phoneMessages } from './phone-messages'
import { useSagaActs } from './saga-acts'

type Saga = DataOf<'phoneSagas'>[number]

/** What was done to a phone step by step, and on which cards: newest first. */
export function Sagas({ phone }: { phone: number }) {
  const m = useMessages(phoneMessages)
  const query = useApiQuery('phoneSagas', { path: { id: phone } }, { suppressNotice: true })
  const runner = useActions()
  const acts = useSagaActs(phone)
  return (
    <>
      <Loaded query={query}>
        {(sagas) =>
          sagas.length === 0 ? (
            <p className="sky-soft">{m.noSagas}</p>
          ) : (
            <ol className="phone-sagas">
              {sagas.map((saga) => (
                <li key={saga.id}>
                  <Head
                    of={saga}
                    acts={
                      <>
                        <ActionButtons acts={acts.of(saga)} runner={runner} size="small" />
                        <LeaveOut of={saga} />
                      </>
                    }
                  />
                  {saga.withheld.map((app) => (
                    <p key={app.package}>
                      <Withheld of={app} />
                    </p>
                  ))}
                  <Steps of={saga.steps} />
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
      {acts.host}
      {runner.host}
    </>
  )
}

/** What is in the way of a take-off that is held may be left out on its image. */
function LeaveOut({ of: { state, uncovered } }: { of: Saga }) {
  if (!uncovered || state !== sagaState.value.held) return null
  return (
    <Suspense>
      <ExcludeButton image={uncovered.imageId} path={uncovered.path} />
    </Suspense>
  )
}

/** Whether a person decides if a phone comes with an older copy, since its own is damaged. */
const isAsked = ({ kind, state }: Saga) => kind === sagaKind.value.putOn && state === sagaState.value.held

/** Steps whose reason says more than its words: which apps, which files, or what is not as it was left. */
const toldWhole: readonly Saga['steps'][number]['name'][] = [
  stepName.value.install,
  stepName.value.restore,
  stepName.value.still,
  stepName.value.health,
]

function Head({ of, acts }: { of: Saga; acts: ReactNode }) {
  const m = useMessages(phoneMessages)
  return (
    <div className="phone-saga">
      <strong>
        <ChoiceLabel choices={sagaKind} value={of.kind} />
      </strong>
      <ChoiceLabel choices={sagaState} value={of.state} />
      {of.words && <span>{of.words}</span>}
      {typeof of.cause === 'number' && (
        <span>
          {m.byRule} <ChoiceLabel choices={sessionEnd} value={of.cause} />
        </span>
      )}
      {of.retryAt && (
        <span className="sky-soft">
          {m.retryAt} <TimeText at={of.retryAt} />
        </span>
      )}
      {(of.kind === sagaKind.value.lost || isAsked(of)) && of.copyAt && (
        <span>
          {m.copyOf} <TimeText at={of.copyAt} />
        </span>
      )}
      {of.backToAt && (
        <span>
          {m.backTo} <TimeText at={of.backToAt} />
        </span>
      )}
      <span className="sky-soft">
        <TimeText at={of.enqueuedAt} /> {of.createdBy}
      </span>
      {acts}
    </div>
  )
}

/** An app of the copy that did not come, since the phone may not have it. */
export function Withheld({ of: { package: name, name: app, backupId, keptUntil } }: { of: Saga['withheld'][number] }) {
  const m = useMessages(phoneMessages)
  return (
    <>
      <span title={name}>{m.withheld(app)}</span>
      {keptUntil && (
        <span className="sky-soft">
          {' '}
          {m.withheldUntil}{' '}
          <Link className="sky-link" to={backupPath(backupId)}>
            <TimeText at={keptUntil} />
          </Link>
        </span>
      )}
    </>
  )
}

function Steps({ of }: { of: Saga['steps'] }) {
  if (of.length === 0) return null
  return (
    <ol className="phone-steps">
      {of.map(({ id, name, state, card, words, reason, beganAt, endedAt }) => (
        <li key={id}>
          <ChoiceLabel choices={stepName} value={name} />
          <ChoiceLabel choices={stepState} value={state} />
          <CardLink id={card.id} name={card.name ?? String(card.id)} />
          <span title={reason}>{words}</span>
          {toldWhole.includes(name) && words && <span className="sky-mono">{reason}</span>}
          <span className="sky-soft">
            <TimeText at={endedAt ?? beganAt} />
          </span>
        </li>
      ))}
    </ol>
  )
}

import type { DataOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { ChoiceLabel } from '@/kit/choices'
import { Loaded } from '@/kit/loaded'
import { TimeText } from '@/kit/time-text'
import { CardLink } from '../../device/links'
import { sagaKind, sagaState, stepName, stepState } from '../choices'
import { messages } from './messages'

type Saga = DataOf<'phoneSagas'>[number]

/** What was done to a phone step by step, and on which cards: newest first. */
export function Sagas({ phone }: { phone: number }) {
  const m = useMessages(messages)
  const query = useApiQuery('phoneSagas', { path: { id: phone } }, { suppressNotice: true })
  return (
    <Loaded query={query}>
      {(sagas) =>
        sagas.length === 0 ? (
          <p className="sky-soft">{m.noSagas}</p>
        ) : (
          <ol className="phone-sagas">
            {sagas.map((saga) => (
              <li key={saga.id}>
                <Head of={saga} />
                <Steps of={saga.steps} />
              </li>
            ))}
          </ol>
        )
      }
    </Loaded>
  )
}

function Head({ of }: { of: Saga }) {
  return (
    <div className="phone-saga">
      <strong>
        <ChoiceLabel choices={sagaKind} value={of.kind} />
      </strong>
      <ChoiceLabel choices={sagaState} value={of.state} />
      {of.words && <span>{of.words}</span>}
      <span className="sky-soft">
        <TimeText at={of.enqueuedAt} /> {of.createdBy}
      </span>
    </div>
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
          <span className="sky-soft">
            <TimeText at={endedAt ?? beganAt} />
          </span>
        </li>
      ))}
    </ol>
  )
}

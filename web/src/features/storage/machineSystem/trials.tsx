import { lazy } from 'react'
import type { CallParts, DataOf } from '@/api/call'
import { useApiMutation, useApiQuery } from '@/api/query'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { type Action, action } from '@/kit/action'
import { RowActions } from '@/kit/action-buttons'
import { ChoiceLabel, choiceText } from '@/kit/choices'
import { Loaded } from '@/kit/loaded'
import { kitMessages } from '@/kit/messages'
import { TimeText } from '@/kit/time-text'
import { useActions } from '@/kit/use-actions'
import { DataTable, freeText } from '@/ui/data-table'
import { Drawer } from '@/ui/drawer'
import { boardQuestion, trialOutcome } from '../choices'
import { trialMessages } from './trial-messages'

const TrialFields = lazy(() => import('./trial-fields'))

type Trial = DataOf<'imageTrials'>[number]
type Told = Omit<CallParts<'imageTrial'>['body'], 'question'>

const named = Object.entries(boardQuestion.value) as [keyof typeof boardQuestion.value, Trial['question']][]
const codes = new Map(named.map(([code, question]) => [question, code]))

interface TrialsProps {
  image: number
  name: string
  onClose: () => void
}

/** What only a card of an image can show: which of it nobody has tried, and what is done until then. */
export default function Trials({ image, name, onClose }: TrialsProps) {
  const m = useMessages(trialMessages)
  const k = useMessages(kitMessages)
  const language = useLanguage()
  const query = useApiQuery('imageTrials', { path: { id: image } }, { suppressNotice: true })
  const tell = useApiMutation('imageTrial', { refresh: ['imageTrials'] })
  const runner = useActions()
  const called = ({ question }: Trial) => choiceText(boardQuestion, question, language)
  const untilThen = ({ question }: Trial) => {
    const code = codes.get(question)
    return code && m.untilThen[code]
  }
  const acts = ({ question }: Trial) => [
    action<Told>(m.tell, {
      need: 'systemImage:trial',
      confirm: m.tellQuestion,
      ask: <TrialFields />,
      run: (body) => tell.mutateAsync({ path: { id: image }, body: { question, ...body } }),
    }) as Action,
  ]
  return (
    <Drawer open size={960} title={m.of(name)} onClose={onClose}>
      <p className="sky-soft">{m.hint}</p>
      <Loaded query={query}>
        {(trials) => (
          <>
            <DataTable
              label={m.question}
              rows={trials}
              rowKey={({ question }) => String(question)}
              empty={null}
              columns={[
                { key: 'question', title: m.question, render: called },
                {
                  key: 'outcome',
                  title: m.fields.outcome,
                  render: ({ outcome }) => <ChoiceLabel choices={trialOutcome} value={outcome} />,
                },
                {
                  key: 'reason',
                  title: m.reason,
                  render: ({ reason }) => <span title={reason}>{reason}</span>,
                  ...freeText,
                },
                { key: 'triedBy', title: m.triedBy, render: ({ triedBy }) => triedBy },
                { key: 'triedAt', title: m.triedAt, render: ({ triedAt }) => triedAt && <TimeText at={triedAt} /> },
                {
                  key: 'acts',
                  title: k.acts,
                  render: (trial) => <RowActions acts={acts(trial)} name={called(trial)} runner={runner} />,
                },
              ]}
            />
            <h3>{m.until}</h3>
            <ul>
              {trials
                .filter(({ outcome }) => outcome !== trialOutcome.value.works)
                .map((trial) => (
                  <li key={trial.question}>
                    {called(trial)}
                    <p className="sky-soft">{untilThen(trial)}</p>
                  </li>
                ))}
            </ul>
          </>
        )}
      </Loaded>
      {runner.host}
    </Drawer>
  )
}

import { ChoiceField } from '@/kit/form/fields'
import { ReasonField } from '@/kit/form/reason-field'
import { Labels } from '@/kit/labels'
import { required } from '@/rules/texts'
import { trialOutcome } from '../choices'
import { trialMessages } from './trial-messages'

/** What came of a question, and what was seen. */
export default function TrialFields() {
  return (
    <Labels messages={trialMessages}>
      <ChoiceField name="outcome" choices={trialOutcome} rules={[required]} />
      <ReasonField />
    </Labels>
  )
}

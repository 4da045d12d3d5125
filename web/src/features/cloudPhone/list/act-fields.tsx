import { useMessages } from '@/i18n/messages'
import { ChoiceField, NumberField } from '@/kit/form/fields'
import { Labels } from '@/kit/labels'
import { integerBetween } from '@/rules/numbers'
import { required } from '@/rules/texts'
import { plan } from '../choices'
import { messages } from './messages'

// Apart from the acts: a list does not carry the form library.

/** For how many days a phone is paid. */
export function DaysField() {
  const m = useMessages(messages)
  return <NumberField name="days" label={m.renewDays} rules={[required, integerBetween(1, 999)]} />
}

/** The plan that a phone gets. */
export function PlanField() {
  return (
    <Labels messages={messages}>
      <ChoiceField name="plan" choices={plan} rules={[required]} />
    </Labels>
  )
}

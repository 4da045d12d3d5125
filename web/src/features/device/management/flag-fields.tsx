import { useMessages } from '@/i18n/messages'
import { ChoiceField } from '@/kit/form/fields'
import { yesNo } from '../choices'
import { messages } from './messages'

/** Assignable and overcommit; what is left blank stays as it is. */
export default function FlagFields() {
  const m = useMessages(messages)
  return (
    <>
      <ChoiceField name="assignable" label={m.fields.assignable} choices={yesNo} hint={m.keep} />
      <ChoiceField name="overcommit" label={m.fields.overcommit} choices={yesNo} hint={m.keep} />
    </>
  )
}

import { useMessages } from '@/i18n/messages'
import { SwitchField } from '@/kit/form/fields'
import { ReasonField } from '@/kit/form/reason-field'
import { Labels } from '@/kit/labels'
import { Form } from '@/ui/form'
import { messages } from './messages'

// Apart from the acts: a list does not carry the form library.

/** How a phone is set back to a copy: whether whoever uses it is warned before, and why. */
export default function SetBackFields() {
  const m = useMessages(messages)
  const now = Form.useWatch('now', Form.useFormInstance()) === true
  return (
    <Labels messages={messages}>
      <SwitchField name="now" hint={m.nowHint} />
      <ReasonField optional={!now} />
    </Labels>
  )
}

import { defineMessages, useMessages } from '@/i18n/messages'
import { SwitchField } from '@/kit/form/fields'
import { ReasonField } from '@/kit/form/reason-field'
import { Labels } from '@/kit/labels'
import { Form } from '@/ui/form'

// Apart from the acts: a list does not carry the form library.

const messages = defineMessages({
  nowHint: [
    '不提醒，正在使用的用户立即中断；须填写原因',
    'Nobody is warned: whoever uses it is cut off at once. Needs a reason',
  ],
  fields: { now: ['立即下机', 'At once'] },
})

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

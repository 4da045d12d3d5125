import { ChoiceField } from '@/kit/form/fields'
import { Labels } from '@/kit/labels'
import { ReferenceField } from '@/kit/reference/reference-field'
import { required } from '@/rules/texts'
import { Form } from '@/ui/form'
import { plan, ruleScope } from '../choices'
import { phones } from '../links'
import { rooms } from '../places'
import { ownMessages } from './messages'

// Apart from the list: it does not carry the form library.

const { everybody, plan: ofPlan, room, roomPlan, phone } = ruleScope.value

const apart = {
  list: ruleScope.list.filter(({ value }) => value !== everybody && value !== ofPlan),
  find: ruleScope.find,
}

/** Who is to have values of their own. */
export default function ScopeFields() {
  const scope: unknown = Form.useWatch('scope', Form.useFormInstance())
  return (
    <Labels messages={ownMessages}>
      <ChoiceField name="scope" choices={apart} rules={[required]} />
      {(scope === room || scope === roomPlan) && <ReferenceField name="roomId" source={rooms} rules={[required]} />}
      {scope === roomPlan && <ChoiceField name="plan" choices={plan} rules={[required]} />}
      {scope === phone && <ReferenceField name="phoneId" source={phones} rules={[required]} />}
    </Labels>
  )
}

import { useSession } from '@/access/session'
import type { CallParts, DataOf } from '@/api/call'
import { encryptPassword } from '@/api/password'
import { useMessages } from '@/i18n/messages'
import { ChoiceField, PasswordField, SwitchField, TextAreaField, TextField } from '@/kit/form/fields'
import { FormDrawer } from '@/kit/form/form-drawer'
import { useForm } from '@/kit/form/use-form'
import { useSave } from '@/kit/form/use-save'
import { email, phone } from '@/rules/contact'
import * as people from '@/rules/people'
import { maxChars, noLeadingSpace, required } from '@/rules/texts'
import { accountType } from '../choices'
import { useGroupChoices } from '../group-choices'
import { messages } from './messages'

type OperatorInput = CallParts<'operatorCreate'>['body']

const refresh = ['operatorList', 'operatorGet', 'groupList', 'groupListAll'] as const

/** Creates an operator, or changes the one that is given. */
export default function OperatorForm(props: { operator?: DataOf<'operatorGet'>; onClose: () => void }) {
  const m = useMessages(messages)
  const { operator } = props
  const uid = useSession((session) => session.uid)
  const groups = useGroupChoices()
  const form = useForm<OperatorInput>({ defaultValues: defaultsOf(operator) })
  const send = useSave<object>('operator', operator?.id, { refresh })
  const isMe = operator !== undefined && String(operator.id) === uid

  const withoutName = (text: string) => people.passwordWithoutName(text, form.values().username ?? '')

  /** The password travels encrypted; an update names whom it concerns in the body. */
  const save = async (values: OperatorInput) =>
    operator
      ? send({
          enabled: operator.enabled,
          ...values,
          ...(isMe && { accountType: operator.accountType }),
          id: operator.id,
        })
      : send({ ...values, password: await encryptPassword(values.password) })

  return (
    <FormDrawer
      form={form}
      save={save}
      title={operator ? m.editTitle(operator.username) : m.create}
      messages={messages}
      onClose={props.onClose}
    >
      <TextField name="username" rules={[required, people.username]} hint={m.usernameHint} maxLength={20} />
      {!operator && (
        <PasswordField name="password" rules={[required, people.password, withoutName]} hint={m.passwordHint} />
      )}
      <ChoiceField name="groupId" choices={groups} rules={[required]} />
      {!isMe && <ChoiceField name="accountType" choices={accountType} rules={[required]} />}
      <TextField name="email" rules={[email]} />
      <TextField name="phone" rules={[phone]} />
      <TextAreaField name="remark" maxLength={256} rules={[noLeadingSpace, maxChars(256)]} />
      {!isMe && <SwitchField name="enabled" hint={m.enabledHint} />}
    </FormDrawer>
  )
}

function defaultsOf(operator: DataOf<'operatorGet'> | undefined): Partial<OperatorInput> {
  if (!operator) return { accountType: accountType.value.normal, enabled: true }
  const { username, groupId, accountType: type, email, phone, remark, enabled } = operator
  return { username, ...(groupId && { groupId }), accountType: type, email, phone, remark, enabled }
}

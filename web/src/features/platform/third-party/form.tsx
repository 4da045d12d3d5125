import type { CallParts, RowOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { ChoiceField, ChoicesField, NumberField, TextAreaField, TextField } from '@/kit/form/fields'
import { FormDrawer } from '@/kit/form/form-drawer'
import { useForm } from '@/kit/form/use-form'
import { useSave } from '@/kit/form/use-save'
import { integerBetween } from '@/rules/numbers'
import { line, maxChars, required } from '@/rules/texts'
import { Form } from '@/ui/form'
import { openOwner, openScope } from '../choices'
import { messages } from './messages'

type App = RowOf<'openAppList'>
type Input = CallParts<'openAppCreate'>['body']

const inputOf = ({ name, owner, ownerName, scopes, ips, perSecond, perDay, remark }: App): Input => ({
  name,
  owner,
  ownerName,
  scopes,
  ips: ips.replaceAll(' ', '\n'),
  perSecond,
  remark,
  ...(typeof perDay === 'number' && { perDay }),
})

const blank: Partial<Input> = { owner: openOwner.value.company, perSecond: 50 }

/** Makes an application, or changes one. */
export default function AppForm({ app, onClose }: { app?: App; onClose: () => void }) {
  const m = useMessages(messages)
  const form = useForm<Partial<Input>>({ defaultValues: app ? inputOf(app) : blank })
  const owner = Form.useWatch('owner', form.instance) as Input['owner'] | undefined
  const save = useSave<Partial<Input>>('openApp', app?.id, { refresh: ['openAppList', 'openAppGet'] })
  return (
    <FormDrawer
      form={form}
      save={save}
      title={app ? m.editTitle(app.name) : m.create}
      messages={messages}
      onClose={onClose}
    >
      <TextField name="name" rules={[required, line(48)]} maxLength={48} />
      <ChoiceField name="owner" choices={openOwner} hint={m.ownerHint} />
      {owner !== openOwner.value.company && <TextField name="ownerName" rules={[required, line(64)]} maxLength={64} />}
      <ChoicesField name="scopes" choices={openScope} rules={[required]} />
      <NumberField name="perSecond" rules={[required, integerBetween(1, 5000)]} />
      <NumberField name="perDay" rules={[integerBetween(1, 99_999)]} hint={m.perDayHint} />
      <TextAreaField name="ips" hint={m.ipsHint} />
      <TextAreaField name="remark" rules={[maxChars(256)]} maxLength={256} />
    </FormDrawer>
  )
}

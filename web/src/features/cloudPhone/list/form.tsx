import type { CallParts } from '@/api/call'
import { words as phoneWords } from '@/api/words/PhoneView'
import { defineMessages, useMessages } from '@/i18n/messages'
import { ChoiceField, NumberField, TextAreaField, TextField } from '@/kit/form/fields'
import { FormDrawer } from '@/kit/form/form-drawer'
import { TimeField } from '@/kit/form/time-field'
import { useForm } from '@/kit/form/use-form'
import { useSave } from '@/kit/form/use-save'
import { ReferenceField } from '@/kit/reference/reference-field'
import { integerBetween } from '@/rules/numbers'
import { name } from '@/rules/people'
import { maxChars, noLeadingSpace, required } from '@/rules/texts'
import { inFuture } from '@/rules/times'
import { users } from '../../clientUser/links'
import { plan, pool } from '../choices'
import { rooms } from '../places'
import { messages as listMessages } from './messages'
import { PoolField } from './pool-field'

const messages = defineMessages({
  create: listMessages.tree.create,
  createHint: [
    '编号由系统生成；数量大于 1 时各台只有编号不同',
    'Codes are made by the system; several phones differ in their codes only',
  ],
  fields: { ...phoneWords, userId: phoneWords.user, roomId: phoneWords.room, count: ['数量', 'How many'] },
})

type PhoneInput = CallParts<'phoneCreate'>['body']

/** Makes phones for a user: one, or several that differ in their codes. */
export default function PhoneForm({ onClose }: { onClose: () => void }) {
  const m = useMessages(messages)
  const form = useForm<PhoneInput>({
    defaultValues: { plan: plan.value.vip, pool: pool.value.shared, diskGb: 32, count: 1 },
  })
  const save = useSave<PhoneInput>('phone', undefined, { refresh: ['phoneList', 'phoneCounts', 'clientUserPage'] })
  return (
    <FormDrawer form={form} save={save} title={m.create} messages={messages} onClose={onClose}>
      <ReferenceField name="userId" source={users} rules={[required]} />
      <ChoiceField name="plan" choices={plan} rules={[required]} />
      <ReferenceField name="roomId" source={rooms} rules={[required]} />
      <PoolField />
      <NumberField name="diskGb" rules={[required, integerBetween(1, 9999)]} />
      <TimeField name="expiresAt" rules={[required, inFuture]} />
      <TextField name="name" rules={[name]} />
      <NumberField name="count" rules={[required, integerBetween(1, 5000)]} hint={m.createHint} />
      <TextAreaField name="remark" maxLength={256} rules={[noLeadingSpace, maxChars(256)]} />
    </FormDrawer>
  )
}

import type { CallParts, RowOf } from '@/api/call'
import { words as phoneWords } from '@/api/words/PhoneView'
import { defineMessages, useMessages } from '@/i18n/messages'
import { NumberField, TextAreaField, TextField } from '@/kit/form/fields'
import { FormDrawer } from '@/kit/form/form-drawer'
import { useForm } from '@/kit/form/use-form'
import { useSave } from '@/kit/form/use-save'
import { ReferenceField } from '@/kit/reference/reference-field'
import { integerBetween } from '@/rules/numbers'
import { name } from '@/rules/people'
import { maxChars, noLeadingSpace, required } from '@/rules/texts'
import { useType } from '../choices'
import { rooms } from '../places'
import { PoolField } from './pool-field'

const messages = defineMessages({
  title: (code: string) => [`编辑云手机 ${code}`, `Edit phone ${code}`],
  roomHint: ['下机后才能更改归属机房', 'The home room can change only while the phone is off the machine'],
  poolOnHint: [
    '在机的云手机留在当前卡上，下次上机时生效；排队中的立即改排',
    'One that is on a card stays there, and comes on the others the next time; one in the queue waits for those from now on',
  ],
  fields: { ...phoneWords, roomId: phoneWords.room },
})

type PhoneInput = CallParts<'phoneUpdate'>['body']

/** Changes what is written about a phone. */
export default function PhoneEdit({ phone, onClose }: { phone: RowOf<'phoneList'>; onClose: () => void }) {
  const m = useMessages(messages)
  const form = useForm<PhoneInput>({
    defaultValues: {
      name: phone.name,
      roomId: phone.room.id,
      pool: phone.pool,
      diskGb: phone.diskGb,
      remark: phone.remark,
    },
  })
  const refresh = ['phoneList', 'phoneGet', 'operationLogList'] as const
  const save = useSave<PhoneInput>('phone', phone.id, { refresh })
  return (
    <FormDrawer form={form} save={save} title={m.title(phone.code)} messages={messages} onClose={onClose}>
      <TextField name="name" rules={[name]} />
      <ReferenceField
        name="roomId"
        source={rooms}
        rules={[required]}
        hint={phone.useType === useType.value.on ? m.roomHint : undefined}
      />
      <PoolField hint={phone.card || phone.underWay ? m.poolOnHint : undefined} />
      <NumberField name="diskGb" rules={[required, integerBetween(1, 9999)]} />
      <TextAreaField name="remark" maxLength={256} rules={[noLeadingSpace, maxChars(256)]} />
    </FormDrawer>
  )
}

import type { CallParts, RowOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { ChoiceField, NumberField, TextField } from '@/kit/form/fields'
import { FormDrawer } from '@/kit/form/form-drawer'
import { useForm } from '@/kit/form/use-form'
import { useSave } from '@/kit/form/use-save'
import { ReferenceField } from '@/kit/reference/reference-field'
import { host } from '@/rules/network'
import { integerBetween } from '@/rules/numbers'
import { line, required } from '@/rules/texts'
import { serviceKind } from '../choices'
import { rooms } from '../links'
import { messages } from './messages'

type Address = RowOf<'serviceAddressList'>
type Input = CallParts<'serviceAddressCreate'>['body']

const inputOf = ({ name, room, kind, host, port, weight }: Address): Input => ({
  name,
  kind,
  host,
  port,
  weight,
  ...(room && { roomId: room.id }),
})

const blank: Partial<Input> = { kind: serviceKind.value.gateway, weight: 10 }

/** Makes an address, or changes one. */
export default function AddressForm({ address, onClose }: { address?: Address; onClose: () => void }) {
  const m = useMessages(messages)
  const form = useForm<Partial<Input>>({ defaultValues: address ? inputOf(address) : blank })
  const save = useSave<Partial<Input>>('serviceAddress', address?.id, { refresh: ['serviceAddressList'] })
  const known = address?.room ? [address.room] : undefined
  return (
    <FormDrawer
      form={form}
      save={save}
      title={address ? m.editTitle(address.name) : m.create}
      messages={messages}
      onClose={onClose}
    >
      <TextField name="name" rules={[required, line(48)]} maxLength={48} />
      <ChoiceField name="kind" choices={serviceKind} />
      <ReferenceField name="roomId" source={rooms} hint={m.roomHint} {...(known && { known })} />
      <TextField name="host" rules={[required, line(128), host]} maxLength={128} hint={m.hostHint} />
      <NumberField name="port" rules={[required, integerBetween(1, 65_535)]} />
      <NumberField name="weight" rules={[required, integerBetween(1, 100)]} hint={m.weightHint} />
    </FormDrawer>
  )
}

import type { CallParts, RowOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { NumberField, TextField } from '@/kit/form/fields'
import { FormDrawer } from '@/kit/form/form-drawer'
import { useForm } from '@/kit/form/use-form'
import { useSave } from '@/kit/form/use-save'
import { ReferenceField } from '@/kit/reference/reference-field'
import { ipv4, port } from '@/rules/network'
import { integerBetween } from '@/rules/numbers'
import { line, required } from '@/rules/texts'
import { Form } from '@/ui/form'
import { type Flat, nest } from '../nested'
import { framesOf, hostsOf, rooms } from '../places'
import { KindFields } from './kind-fields'
import { messages } from './messages'

type Card = RowOf<'cardList'>
type CardInput = CallParts<'cardCreate'>['body']

const inputOf = (card: Card): Flat => ({
  roomId: card.roomId,
  intranetIp: card.intranetIp,
  adbPort: card.adbPort,
  extranetIp: card.extranetIp,
  extranetPort: card.extranetPort,
  serial: card.serial,
  manufacturer: card.manufacturer,
  model: card.model,
  board: card.board,
  size: card.size,
  isAssignable: card.isAssignable,
  isOvercommit: card.isOvercommit,
  remark: card.remark,
})

const fresh: Flat = { adbPort: 5555, isAssignable: true, isOvercommit: true }

/** Enters a card, or changes what is written about one. Where it stands is changed by moving it. */
export default function CardForm({ card, onClose }: { card?: Card; onClose: () => void }) {
  const m = useMessages(messages)
  const form = useForm<Flat>({ defaultValues: card ? inputOf(card) : fresh })
  const refresh = ['cardList', 'cardGet', 'cardCounts'] as const
  const save = useSave<CardInput>('card', card?.id, { refresh })
  const place = card && { roomId: card.roomId, hostId: card.hostId, position: card.position }
  const bodyOf = ({ frameId: _frame, ...values }: Flat) => nest<CardInput>({ ...values, ...place })
  return (
    <FormDrawer
      form={form}
      save={(values) => save(bodyOf(values))}
      title={card ? m.editTitle(card.intranetIp) : m.createTitle}
      messages={messages}
      onClose={onClose}
    >
      {!card && <Place instance={form.instance} />}
      <TextField name="intranetIp" rules={[required, ipv4]} />
      <NumberField name="adbPort" rules={[required, port]} />
      <TextField name="extranetIp" rules={[ipv4]} />
      <NumberField name="extranetPort" rules={[port]} />
      <TextField name="serial" rules={[line(64)]} />
      <KindFields />
    </FormDrawer>
  )
}

function Place({ instance }: { instance: ReturnType<typeof useForm<Flat>>['instance'] }) {
  const room = Form.useWatch('roomId', instance) as number | undefined
  const frame = Form.useWatch('frameId', instance) as number | undefined
  const waits = room === undefined
  return (
    <>
      <ReferenceField name="roomId" source={rooms} clears={['frameId', 'hostId']} rules={[required]} />
      <ReferenceField name="frameId" source={framesOf(room)} waits={waits} clears={['hostId']} />
      <ReferenceField name="hostId" source={hostsOf({ roomId: room, frameId: frame })} waits={waits} />
      <NumberField name="position" rules={[integerBetween(1, 256)]} />
    </>
  )
}

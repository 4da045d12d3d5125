import { useMessages } from '@/i18n/messages'
import { NumberField } from '@/kit/form/fields'
import { ReferenceField } from '@/kit/reference/reference-field'
import { integerBetween } from '@/rules/numbers'
import { required } from '@/rules/texts'
import { Form } from '@/ui/form'
import { placeMessages } from './place-messages'
import { framesOf, hostsOf, rooms } from './places'

/** Frame, host and position of a room; with the room itself where none is given. */
export default function PlaceInputs({ room }: { room?: number }) {
  const m = useMessages(placeMessages)
  const form = Form.useFormInstance()
  const chosen = Form.useWatch('roomId', form) as number | undefined
  const frame = Form.useWatch('frameId', form) as number | undefined
  const at = room ?? chosen
  const waits = at === undefined
  return (
    <>
      {room === undefined && (
        <ReferenceField name="roomId" label={m.room} source={rooms} clears={['frameId', 'hostId']} rules={[required]} />
      )}
      <ReferenceField name="frameId" label={m.frame} source={framesOf(at)} waits={waits} clears={['hostId']} />
      <ReferenceField
        name="hostId"
        label={m.host}
        source={hostsOf({ roomId: at, frameId: frame })}
        waits={waits}
        hint={m.hostHint}
      />
      <NumberField name="position" label={m.position} rules={[integerBetween(1, 256)]} />
    </>
  )
}

import { useMessages } from '@/i18n/messages'
import { ChoiceField, NumberField } from '@/kit/form/fields'
import { integerBetween } from '@/rules/numbers'
import { required } from '@/rules/texts'
import { Form } from '@/ui/form'
import { placeMessages } from './place-messages'
import { useFrames, useHosts, useRooms } from './places'

/** Frame, host and position of a room; with the room itself where none is given. */
export default function PlaceInputs({ room }: { room?: number }) {
  const m = useMessages(placeMessages)
  const form = Form.useFormInstance()
  const chosen = Form.useWatch('roomId', form) as number | undefined
  const frame = Form.useWatch('frameId', form) as number | undefined
  const at = room ?? chosen
  const rooms = useRooms()
  const frames = useFrames(at)
  const hosts = useHosts({ roomId: at, frameId: frame })
  return (
    <>
      {room === undefined && <ChoiceField name="roomId" label={m.room} choices={rooms.choices} rules={[required]} />}
      <ChoiceField name="frameId" label={m.frame} choices={frames.choices} />
      <ChoiceField name="hostId" label={m.host} choices={hosts.choices} hint={m.hostHint} />
      <NumberField name="position" label={m.position} rules={[integerBetween(1, 256)]} />
    </>
  )
}

import type { CallParts, RowOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { ChoiceField, NumberField, TextAreaField, TextField } from '@/kit/form/fields'
import { FormDrawer } from '@/kit/form/form-drawer'
import { useForm } from '@/kit/form/use-form'
import { useSave } from '@/kit/form/use-save'
import { integerBetween } from '@/rules/numbers'
import { line, maxChars, required } from '@/rules/texts'
import type { Places } from '../places'
import { frameMessages } from './messages'

type Frame = RowOf<'frameList'>
type FrameInput = CallParts<'frameCreate'>['body']

const inputOf = ({ roomId, name, location, slots, remark }: Frame) => ({ roomId, name, location, slots, remark })

/** Makes a frame, or changes one. */
export default function FrameForm({ frame, rooms, onClose }: { frame?: Frame; rooms: Places; onClose: () => void }) {
  const m = useMessages(frameMessages)
  const form = useForm<FrameInput>({ defaultValues: frame ? inputOf(frame) : {} })
  const save = useSave<FrameInput>('frame', frame?.id, { refresh: ['frameList', 'fleetTree'] })
  return (
    <FormDrawer
      form={form}
      save={save}
      title={frame ? m.editTitle(frame.name) : m.create}
      messages={frameMessages}
      onClose={onClose}
    >
      <ChoiceField name="roomId" choices={rooms.choices} rules={[required]} />
      <TextField name="name" rules={[required, line(64)]} />
      <TextField name="location" rules={[line(64)]} />
      <NumberField name="slots" rules={[required, integerBetween(1, 256)]} />
      <TextAreaField name="remark" maxLength={256} rules={[maxChars(256)]} />
    </FormDrawer>
  )
}

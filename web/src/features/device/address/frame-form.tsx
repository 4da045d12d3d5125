import type { CallParts, RowOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { NumberField, TextAreaField, TextField } from '@/kit/form/fields'
import { FormDrawer } from '@/kit/form/form-drawer'
import { useForm } from '@/kit/form/use-form'
import { useSave } from '@/kit/form/use-save'
import { ReferenceField } from '@/kit/reference/reference-field'
import { integerBetween } from '@/rules/numbers'
import { line, maxChars, required } from '@/rules/texts'
import { rooms } from '../places'
import { frameMessages, pageMessages } from './messages'

type Frame = RowOf<'frameList'>
type FrameInput = CallParts<'frameCreate'>['body']

const inputOf = ({ roomId, name, location, slots, remark }: Frame) => ({ roomId, name, location, slots, remark })

/** Makes a frame, or changes one. */
export default function FrameForm({ frame, onClose }: { frame?: Frame; onClose: () => void }) {
  const m = useMessages(frameMessages)
  const p = useMessages(pageMessages)
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
      <ReferenceField name="roomId" source={rooms} rules={[required]} />
      <TextField name="name" label={p.name} rules={[required, line(64)]} />
      <TextField name="location" rules={[line(64)]} />
      <NumberField name="slots" rules={[required, integerBetween(1, 256)]} />
      <TextAreaField name="remark" maxLength={256} rules={[maxChars(256)]} />
    </FormDrawer>
  )
}

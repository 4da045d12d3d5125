import { useMessages } from '@/i18n/messages'
import { SwitchField, TextAreaField, TextField } from '@/kit/form/fields'
import { line, maxChars, required } from '@/rules/texts'
import { messages } from './messages'

/** What a card is and may be used for: the same for one card and for a range of them. */
export function KindFields() {
  const m = useMessages(messages)
  return (
    <>
      <TextField name="manufacturer" rules={[required, line(64)]} />
      <TextField name="model" rules={[required, line(64)]} />
      <TextField name="board" rules={[required, line(32)]} placeholder="RK_3399 / MTK_G90 / STARPRO" />
      <TextField name="size" rules={[line(32)]} placeholder="4G/64G" />
      <SwitchField name="isAssignable" />
      <SwitchField name="isOvercommit" hint={m.overcommitHint} />
      <TextAreaField name="remark" label={m.fields.remark} maxLength={256} rules={[maxChars(256)]} />
    </>
  )
}

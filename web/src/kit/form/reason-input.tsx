import { useMessages } from '@/i18n/messages'
import { maxChars, noLeadingSpace, required } from '@/rules/texts'
import { kitMessages } from '../messages'
import { TextAreaField } from './fields'

/** As many as the server takes. */
const limit = 256

export default function ReasonInput({ name, optional }: { name: string; optional: boolean }) {
  const m = useMessages(kitMessages)
  const rules = [noLeadingSpace, maxChars(limit)]
  return (
    <TextAreaField name={name} label={m.reason} maxLength={limit} rules={optional ? rules : [required, ...rules]} />
  )
}

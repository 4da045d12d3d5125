import { useMessages } from '@/i18n/messages'
import { maxChars, noLeadingSpace, required } from '@/rules/texts'
import { kitMessages } from '../messages'
import { TextAreaField } from './fields'

const most = 200

export default function ReasonInput({ name, optional }: { name: string; optional: boolean }) {
  const m = useMessages(kitMessages)
  const rules = [noLeadingSpace, maxChars(most)]
  return <TextAreaField name={name} label={m.reason} maxLength={most} rules={optional ? rules : [required, ...rules]} />
}

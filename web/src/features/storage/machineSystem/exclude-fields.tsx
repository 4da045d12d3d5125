import { useMessages } from '@/i18n/messages'
import { TextField } from '@/kit/form/fields'
import { ReasonField } from '@/kit/form/reason-field'
import { Labels } from '@/kit/labels'
import { line } from '@/rules/texts'
import { exclusionMessages } from './exclusion-messages'

/** As many characters as the server takes. */
const longest = 200

/** Which path, and why nobody needs what is there. */
export default function ExcludeFields() {
  const m = useMessages(exclusionMessages)
  return (
    <Labels messages={exclusionMessages}>
      <p>{m.lost}</p>
      <TextField name="path" hint={m.pathHint} maxLength={longest} rules={[line(longest)]} />
      <ReasonField />
    </Labels>
  )
}

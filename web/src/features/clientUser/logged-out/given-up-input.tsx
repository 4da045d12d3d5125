import { useMessages } from '@/i18n/messages'
import { TextField } from '@/kit/form/fields'
import { maxChars, noLeadingSpace } from '@/rules/texts'
import { messages } from './messages'

/** As many as the server takes. */
const limit = 256

export default function GivenUpInput() {
  const m = useMessages(messages)
  return (
    <TextField
      name="givenUp"
      label={m.givenUp}
      hint={m.givenUpHint}
      maxLength={limit}
      rules={[noLeadingSpace, maxChars(limit)]}
    />
  )
}

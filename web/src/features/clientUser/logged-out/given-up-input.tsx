import { useMessages } from '@/i18n/messages'
import { TextField } from '@/kit/form/fields'
import { maxChars, noLeadingSpace } from '@/rules/texts'
import { messages } from './messages'

/** As many as the server takes. */
const limit = 256

/** Asks where a customer gives up what coins are left. Apart from the page: a list does not carry the form library. */
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

import type { DataOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { choicesOf } from '@/kit/choices'
import { ChoiceField, TextField } from '@/kit/form/fields'
import { maxChars, required } from '@/rules/texts'
import { messages } from './messages'

/** The account at a provider that can sign in as an operator. */
export default function IdentityFields({ providers }: { providers: DataOf<'openidProviderList'> }) {
  const { fields, subjectHint } = useMessages(messages)
  const choices = choicesOf(providers.map(({ id, name }) => [id, name] as const))
  return (
    <>
      <ChoiceField name="providerId" label={fields.providerId} choices={choices} rules={[required]} />
      <TextField
        name="subject"
        label={fields.subject}
        rules={[required, maxChars(200)]}
        hint={subjectHint}
        maxLength={200}
      />
    </>
  )
}

import { Labels } from '@/kit/labels'
import { ReferenceField } from '@/kit/reference/reference-field'
import type { ReferenceSource } from '@/kit/reference/source'
import { required } from '@/rules/texts'
import { messages } from './messages'

// Apart from the acts: a list does not carry the form library.

/** To which of these phones something of a copy is brought. */
export default function PhoneFields({ phones }: { phones: ReferenceSource }) {
  return (
    <Labels messages={messages}>
      <ReferenceField name="phoneId" source={phones} rules={[required]} />
    </Labels>
  )
}

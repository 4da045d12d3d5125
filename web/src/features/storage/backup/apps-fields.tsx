import { useMemo } from 'react'
import { Labels } from '@/kit/labels'
import { ReferenceField } from '@/kit/reference/reference-field'
import { required } from '@/rules/texts'
import { phonesOn } from '../../cloudPhone/links'
import { messages } from './messages'

// Apart from the acts: a list does not carry the form library.

/** On which of the user's phones the apps of a copy are to be installed. */
export default function AppsFields({ userId }: { userId: number }) {
  const phones = useMemo(() => phonesOn(userId), [userId])
  return (
    <Labels messages={messages}>
      <ReferenceField name="phoneId" source={phones} rules={[required]} />
    </Labels>
  )
}

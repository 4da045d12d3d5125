import { TextField } from '@/kit/form/fields'
import { Labels } from '@/kit/labels'
import { version } from '@/rules/versions'
import { messages } from './messages'

// Apart from the page: a list does not carry the form library.

/** Which version an image is. */
export default function VersionField() {
  return (
    <Labels messages={messages}>
      <TextField name="version" rules={[version]} />
    </Labels>
  )
}

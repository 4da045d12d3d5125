import { useMessages } from '@/i18n/messages'
import { ReasonField } from '@/kit/form/reason-field'
import { Labels } from '@/kit/labels'
import { ReferenceField } from '@/kit/reference/reference-field'
import { required } from '@/rules/texts'
import { imagesOf } from '../links'
import { pairMessages } from './pair-messages'

/** Which image takes the phones, and how that is known. */
export default function PairFields({ board }: { board: string }) {
  const m = useMessages(pairMessages)
  return (
    <Labels messages={pairMessages}>
      <ReferenceField name="toId" source={imagesOf(board)} hint={m.hint} rules={[required]} />
      <ReasonField />
    </Labels>
  )
}

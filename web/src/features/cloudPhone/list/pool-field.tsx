import { defineMessages, useMessages } from '@/i18n/messages'
import { ChoiceField } from '@/kit/form/fields'
import { required } from '@/rules/texts'
import { pool } from '../choices'

const messages = defineMessages({
  hint: [
    '共享：上可超分的卡，按规则下机。专属：只上不可超分的卡，不按规则下机',
    'Shared: on cards with overcommit, and taken off by rule. Dedicated: only on cards without overcommit, and not taken off by rule',
  ],
})

/** On which cards a phone comes. Its hint says what the choices are, unless there is more to tell. */
export function PoolField({ hint }: { hint?: string | undefined }) {
  const m = useMessages(messages)
  return <ChoiceField name="pool" choices={pool} rules={[required]} hint={hint ?? m.hint} />
}

import { type FormEvent, useState } from 'react'
import { useMessages } from '@/i18n/messages'
import { Button } from '@/ui/button'
import { TextInput } from '@/ui/input'
import { kitMessages } from '../messages'
import { viewMessages } from './view-messages'
import { longestName } from './views'

/** Asks how a view is called; two of one name could not be told apart. */
export function ViewName(props: { name?: string; taken: readonly string[]; onName: (name: string) => void }) {
  const m = useMessages(viewMessages)
  const { save } = useMessages(kitMessages)
  const [text, setText] = useState(props.name ?? '')
  const name = text.trim()
  const isTaken = name !== props.name && props.taken.includes(name)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name !== '' && !isTaken) props.onName(name)
  }
  return (
    <form className="kit-view-name" onSubmit={submit}>
      <TextInput
        autoFocus
        aria-label={m.name}
        placeholder={m.name}
        maxLength={longestName}
        value={text}
        aria-invalid={isTaken}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="primary" htmlType="submit" disabled={name === '' || isTaken}>
        {save}
      </Button>
      <p role={isTaken ? 'alert' : undefined} className={isTaken ? 'kit-wrong' : 'sky-soft'}>
        {isTaken ? m.nameTaken : m.saveAsHint}
      </p>
    </form>
  )
}

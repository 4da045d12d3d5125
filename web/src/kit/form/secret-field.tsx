import { useState } from 'react'
import { useMessages } from '@/i18n/messages'
import { Button } from '@/ui/button'
import { PasswordInput } from '@/ui/input'
import { kitMessages } from '../messages'
import { Field, type FieldProps } from './field'

/** What the server tells about a secret: never the secret itself. */
export interface SecretState {
  isSet: boolean
  /** The first characters of a digest: two people can compare without reading. */
  fingerprint: string | null
}

/** A secret that can be replaced and never read. Left alone, its value is undefined and the server keeps the old one. */
export function SecretField({ state, ...field }: FieldProps<string> & { state: SecretState }) {
  return (
    <Field {...field}>
      <SecretInput state={state} />
    </Field>
  )
}

function SecretInput(props: {
  state: SecretState
  id?: string
  value?: string
  onChange?: (value: string | undefined) => void
}) {
  const m = useMessages(kitMessages)
  const { state, onChange } = props
  const [isOpen, setOpen] = useState(!state.isSet)
  if (!isOpen) {
    return (
      <span className="kit-secret">
        <span>{m.secretSet(state.fingerprint ?? '—')}</span>
        <Button id={props.id ?? ''} onClick={() => setOpen(true)}>
          {m.secretReplace}
        </Button>
      </span>
    )
  }
  const keep = () => {
    onChange?.(undefined)
    setOpen(false)
  }
  return (
    <span className="kit-secret">
      <PasswordInput
        id={props.id ?? ''}
        autoComplete="new-password"
        placeholder={state.isSet ? '' : m.secretNone}
        value={props.value ?? ''}
        onChange={(event) => onChange?.(event.target.value || undefined)}
      />
      {state.isSet && <Button onClick={keep}>{m.secretKeep}</Button>}
    </span>
  )
}

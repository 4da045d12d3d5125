import { type Ref, useId, useState } from 'react'
import { HideIcon, ShowIcon } from './shell-icons'
import './dialog.css'

interface PasswordInputProps {
  label: string
  value: string
  onChange: (value: string) => void
  error?: string | undefined
  hint?: string | undefined
  autoComplete: 'current-password' | 'new-password'
  showLabel: string
  hideLabel: string
  /** Said while Caps Lock is on. */
  capsLockText: string
  inputRef?: Ref<HTMLInputElement>
}

/** A labelled password field whose text can be shown, and which says when Caps Lock is on. */
export function PasswordInput(props: PasswordInputProps) {
  const id = useId()
  const [shown, setShown] = useState(false)
  const [capsLock, setCapsLock] = useState(false)
  const note = props.error ?? (capsLock ? props.capsLockText : props.hint)
  return (
    <div className="plain-field">
      <label htmlFor={id}>{props.label}</label>
      <div className="plain-input" data-button>
        <input
          id={id}
          ref={props.inputRef}
          type={shown ? 'text' : 'password'}
          autoComplete={props.autoComplete}
          value={props.value}
          onChange={(event) => props.onChange(event.target.value)}
          onKeyUp={(event) => setCapsLock(event.getModifierState('CapsLock'))}
          aria-invalid={props.error !== undefined}
          aria-describedby={note ? `${id}-note` : undefined}
        />
        <button
          type="button"
          className="sky-icon-button"
          aria-label={shown ? props.hideLabel : props.showLabel}
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
        >
          {shown ? <HideIcon aria-hidden /> : <ShowIcon aria-hidden />}
        </button>
      </div>
      {note && (
        <span id={`${id}-note`} className={props.error ? 'plain-error' : 'plain-hint'}>
          {note}
        </span>
      )}
    </div>
  )
}

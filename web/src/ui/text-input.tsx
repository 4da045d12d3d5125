import { type ReactNode, type Ref, useId } from 'react'
import './dialog.css'

interface PlainTextInputProps {
  label: string
  value: string
  onChange: (value: string) => void
  error?: string | undefined
  hint?: string | undefined
  autoComplete?: string
  inputMode?: 'text' | 'numeric'
  inputRef?: Ref<HTMLInputElement>
  /** Something beside the field, such as a picture. */
  beside?: ReactNode
}

/** A labelled text field without the UI library, for the login page and the shell's dialogs. */
export function PlainTextInput(props: PlainTextInputProps) {
  const id = useId()
  const note = props.error ?? props.hint
  return (
    <div className="plain-field">
      <label htmlFor={id}>{props.label}</label>
      <div className="plain-input">
        <input
          id={id}
          ref={props.inputRef}
          value={props.value}
          autoComplete={props.autoComplete}
          autoCapitalize="none"
          spellCheck={false}
          inputMode={props.inputMode}
          onChange={(event) => props.onChange(event.target.value)}
          aria-invalid={props.error !== undefined}
          aria-describedby={note ? `${id}-note` : undefined}
        />
        {props.beside}
      </div>
      {note && (
        <span id={`${id}-note`} className={props.error ? 'plain-error' : 'plain-hint'}>
          {note}
        </span>
      )}
    </div>
  )
}

import './kit.css'

interface OneOfProps<V> {
  label: string
  value: V
  choices: readonly { value: V; label: string }[]
  onChange: (value: V) => void
}

/** A few choices in a row, one of them pressed. */
export function OneOf<V extends string | number | boolean>({ label, value, choices, onChange }: OneOfProps<V>) {
  return (
    <fieldset className="kit-one-of" aria-label={label}>
      {choices.map((each) => (
        <button
          key={String(each.value)}
          type="button"
          aria-pressed={each.value === value}
          onClick={() => onChange(each.value)}
        >
          {each.label}
        </button>
      ))}
    </fieldset>
  )
}

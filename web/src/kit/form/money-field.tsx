import '../kit.css'
import { useState } from 'react'
import { money } from '@/rules/format'
import { fenBetween, fenOrText, yuanText } from '@/rules/money'
import { TextInput } from '@/ui/input'
import { Field, type FieldInput, type FieldProps } from './field'

interface MoneyFieldProps extends FieldProps<number> {
  /** The least and the most, in fen. A price is at least one fen unless told otherwise. */
  min?: number
  max?: number
}

/** An amount of money, typed in yuan. The value is whole fen: no float ever holds an amount. */
export function MoneyField({ min = 1, max = 100_000_000, rules = [], ...field }: MoneyFieldProps) {
  return (
    <Field {...field} rules={[...rules, fenBetween(min, max)]}>
      <MoneyInput />
    </Field>
  )
}

/** Plain digits while it is typed into, with thousands separators when it is read. */
function MoneyInput({ value, onChange, onBlur, ...rest }: FieldInput<number | string>) {
  const [typed, setTyped] = useState<string>()
  const isAmount = typeof value === 'number'
  const shown = isAmount ? money(value).replace('¥', '') : (value ?? '')
  return (
    <TextInput
      {...rest}
      className="kit-money"
      prefix="¥"
      inputMode="decimal"
      autoComplete="off"
      value={typed ?? shown}
      onFocus={() => setTyped(isAmount ? yuanText(value) : (value ?? ''))}
      onChange={({ target }) => {
        setTyped(target.value)
        onChange?.(fenOrText(target.value))
      }}
      onBlur={(event) => {
        setTyped(undefined)
        onBlur?.(event)
      }}
    />
  )
}

import { useMessages } from '@/i18n/messages'
import { PasswordInput, TextArea, TextInput } from '@/ui/input'
import { NumberInput } from '@/ui/number-input'
import { Select } from '@/ui/select'
import { Switch } from '@/ui/switch'
import { type Choices, useOptions } from '../choices'
import { kitMessages } from '../messages'
import { Field, type FieldProps } from './field'

interface TextProps extends FieldProps<string> {
  placeholder?: string
  /** The most characters that can be typed; the rule says the same, in words. */
  maxLength?: number
  autoComplete?: string
}

/** One line of text. */
export function TextField({ placeholder, maxLength, autoComplete = 'off', ...field }: TextProps) {
  return (
    <Field {...field}>
      <TextInput autoComplete={autoComplete} {...given({ placeholder, maxLength })} />
    </Field>
  )
}

/** Several lines of text, with a count where there is a limit. */
export function TextAreaField({ placeholder, maxLength, ...field }: TextProps) {
  return (
    <Field {...field}>
      <TextArea
        autoSize={{ minRows: 3, maxRows: 10 }}
        showCount={maxLength !== undefined}
        {...given({ placeholder, maxLength })}
      />
    </Field>
  )
}

/** A word that nobody may read over a shoulder. */
export function PasswordField({ autoComplete = 'new-password', ...field }: TextProps) {
  return (
    <Field {...field}>
      <PasswordInput autoComplete={autoComplete} />
    </Field>
  )
}

/** A number; a rule says which ones. */
export function NumberField({ unit, ...field }: FieldProps<number> & { unit?: string }) {
  return (
    <Field {...field}>
      <NumberInput style={{ width: '100%' }} {...given({ suffix: unit })} />
    </Field>
  )
}

/** A list as long as this is read at a glance; a longer one can be searched. */
const shortList = 8

/** One value of a closed list. */
export function ChoiceField({ choices, ...field }: FieldProps<string | number> & { choices: Choices }) {
  const m = useMessages(kitMessages)
  const options = useOptions(choices)
  return (
    <Field {...field}>
      <Select
        placeholder={m.choose}
        options={options}
        showSearch={options.length > shortList && { optionFilterProp: 'label' }}
      />
    </Field>
  )
}

/** Several values of a closed list. */
export function ChoicesField({ choices, ...field }: FieldProps<readonly (string | number)[]> & { choices: Choices }) {
  const m = useMessages(kitMessages)
  const options = useOptions(choices)
  return (
    <Field {...field}>
      <Select mode="multiple" placeholder={m.choose} options={options} optionFilterProp="label" />
    </Field>
  )
}

/** On or off. */
export function SwitchField(field: FieldProps<boolean>) {
  return (
    <Field {...field} valuePropName="checked">
      <Switch />
    </Field>
  )
}

/** Leaves out what was not given: antd tells `undefined` from absent. */
function given<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}

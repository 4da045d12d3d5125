import { createContext, type FocusEventHandler, type ReactElement, type ReactNode, useContext, useEffect } from 'react'
import { toFormRule } from '@/rules/form-rule'
import type { Rule } from '@/rules/violation'
import { Form } from '@/ui/form'
import { useLabel } from '../labels'

/** What every field takes. The label is `messages.fields[name]` unless one is given. */
export interface FieldProps<V> {
  name: string
  rules?: readonly Rule<V>[]
  label?: string
  hint?: ReactNode
}

/** What a field hands to its input. All of it has to reach the element that takes the focus. */
export interface FieldInput<V> {
  id?: string
  value?: V
  onChange?: (value: V | undefined) => void
  onBlur?: FocusEventHandler<HTMLElement>
  'aria-required'?: 'true' | 'false' | boolean
  'aria-invalid'?: 'true' | 'false' | boolean
  'aria-describedby'?: string
}

/** Hears the names of the fields below it, and gives what tells that one is gone. */
export const FieldsContext = createContext<((name: string) => () => void) | undefined>(undefined)

/** Tells whoever is around that there is a field. `Field` does so by itself. */
export function useFieldHeard(name: string) {
  const hear = useContext(FieldsContext)
  useEffect(() => hear?.(name), [hear, name])
}

interface InnerProps<V> {
  children: ReactElement
  valuePropName?: string
  /** What only the kind of field can object to, in words: that something is still under way. */
  guard?: (value: V | undefined) => string | undefined
}

/** One labelled field of a form, with its rules. `children` is the input. */
export function Field<V>(props: FieldProps<V> & InnerProps<V>) {
  const { name, rules = [], hint, guard, children } = props
  useFieldHeard(name)
  return (
    <Form.Item
      name={name}
      label={useLabel(name, props.label)}
      extra={hint}
      rules={[...(guard ? [ruleOf(guard)] : []), ...rules.map(toFormRule)] as never[]}
      validateFirst
      {...(props.valuePropName && { valuePropName: props.valuePropName })}
    >
      {children}
    </Form.Item>
  )
}

const ruleOf = <V,>(guard: (value: V | undefined) => string | undefined) => ({
  async validator(_: unknown, value: V | undefined) {
    const why = guard(value)
    if (why) throw new Error(why)
  },
})

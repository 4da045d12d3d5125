import type { ReactElement, ReactNode } from 'react'
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

/** One labelled field of a form, with its rules. `children` is the input. */
export function Field<V>(props: FieldProps<V> & { children: ReactElement; valuePropName?: string }) {
  const { name, rules = [], hint, children } = props
  return (
    <Form.Item
      name={name}
      label={useLabel(name, props.label)}
      extra={hint}
      rules={rules.map(toFormRule) as never[]}
      validateFirst
      {...(props.valuePropName && { valuePropName: props.valuePropName })}
    >
      {children}
    </Form.Item>
  )
}

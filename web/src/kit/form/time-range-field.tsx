import dayjs, { type Dayjs } from 'dayjs'
import { type ComponentProps, useMemo } from 'react'
import { useMessages } from '@/i18n/messages'
import { toFormRule } from '@/rules/form-rule'
import { required } from '@/rules/texts'
import { notBefore } from '@/rules/times'
import type { Rule } from '@/rules/violation'
import { DateTimeRangePicker } from '@/ui/date-picker'
import { Form } from '@/ui/form'
import { useLabel } from '../labels'
import { kitMessages } from '../messages'
import { type FieldInput, type FieldProps, useFieldHeard } from './field'

interface TimeRangeFieldProps extends Omit<FieldProps<string>, 'rules'> {
  /** The names of the two values; `name` is that of the label. */
  from?: string
  to?: string
  /** Asked of either end. */
  rules?: readonly Rule<string>[]
}

/** A span of time, to the second. Its ends are two values of the form, in RFC 3339, as the server takes them. */
export function TimeRangeField(props: TimeRangeFieldProps) {
  const { name, from = 'startTime', to = 'endTime', rules = [], hint } = props
  const form = Form.useFormInstance()
  const label = useLabel(name, props.label)
  useFieldHeard(from)
  useFieldHeard(to)
  const isRequired = rules.includes(required)
  const ofStart = rules.map(toFormRule)
  const startOf = () => form.getFieldValue(from) as string | undefined
  const inOrder: Rule<string> = (end) => notBefore(new Date(startOf() ?? end), new Date(end))
  // Without a start, what its rules say is all there is to say.
  const ofEnd = [...ofStart, toFormRule(inOrder)].map(({ validator }) => ({
    validator: async (rule: unknown, end: string) => (startOf() ? validator(rule, end) : undefined),
  }))
  return (
    <Form.Item label={label} htmlFor={from} extra={hint} required={isRequired}>
      <Form.Item name={from} noStyle validateFirst rules={ofStart as never[]}>
        <RangeInput to={to} label={label} />
      </Form.Item>
      <Form.Item name={to} noStyle validateFirst rules={ofEnd as never[]}>
        <End />
      </Form.Item>
    </Form.Item>
  )
}

/** The other end is shown by the picker of both. */
const End = () => null

type Span = [Dayjs | null, Dayjs | null]

interface RangeInputProps extends FieldInput<string> {
  to: string
  label: string
}

function RangeInput({ to, label, id = '', value, onChange, onBlur, ...aria }: RangeInputProps) {
  const m = useMessages(kitMessages)
  const form = Form.useFormInstance()
  const end = Form.useWatch(to, { form, preserve: true }) as string | undefined
  const change = (span: readonly (Dayjs | null)[] | null) => {
    onChange?.(span?.[0]?.toISOString())
    form.setFields([{ name: to, value: span?.[1]?.toISOString(), errors: [], touched: true }])
  }
  // The picker takes another array for another value, and forgets what was typed into it.
  const span = useMemo<Span>(() => [value ? dayjs(value) : null, end ? dayjs(end) : null], [value, end])
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a border and a legend that the label already is
    <div
      role="group"
      aria-label={label}
      onKeyDown={(event) => {
        // Enter goes from the start to the end; the form would be sent between the two.
        if (event.key === 'Enter') event.preventDefault()
      }}
    >
      <DateTimeRangePicker
        {...(aria as Pick<ComponentProps<typeof DateTimeRangePicker>, 'aria-invalid'>)}
        id={{ start: id, end: `${id}-end` }}
        showTime
        needConfirm={false}
        // Else the picker drops one end without a word as long as the other is missing; the rules have words.
        allowEmpty={[true, true]}
        style={{ width: '100%' }}
        placeholder={[m.from, m.to]}
        value={span}
        onChange={change}
        onBlur={onBlur as never}
      />
    </div>
  )
}

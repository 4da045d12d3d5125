import dayjs from 'dayjs'
import type { ComponentProps } from 'react'
import { DateTimePicker } from '@/ui/date-picker'
import { Field, type FieldProps } from './field'

// Apart from the other fields: the date picker weighs 30 KB.

/** A moment. The value is RFC 3339, as the server takes it. */
export function TimeField(field: FieldProps<string>) {
  return (
    <Field {...field}>
      <TimeInput />
    </Field>
  )
}

type PickerProps = Pick<ComponentProps<typeof DateTimePicker>, 'id' | 'disabled' | 'onBlur'>

function TimeInput(props: PickerProps & { value?: string; onChange?: (value: string | undefined) => void }) {
  const { value, onChange, ...rest } = props
  return (
    <DateTimePicker
      {...rest}
      showTime
      needConfirm={false}
      style={{ width: '100%' }}
      value={value ? dayjs(value) : null}
      onChange={(next: dayjs.Dayjs | null) => onChange?.(next?.toISOString())}
    />
  )
}

import { Form } from '@/ui/form'
import { Field, type FieldInput, type FieldProps } from '../form/field'
import { ReferenceSelect } from './reference-select'
import type { Reference, ReferenceId, ReferenceSource } from './source'

interface Props {
  source: ReferenceSource
  /** Names that the form was given with its values; others are asked for. */
  known?: readonly Reference[]
  /** What it belongs to is not chosen yet. */
  waits?: boolean
  /** Fields that belong to this one: they are emptied when it changes. */
  clears?: readonly string[]
}

/** One other thing, chosen by name. The value is its id. */
export function ReferenceField({ source, known, waits, clears, ...field }: FieldProps<ReferenceId> & Props) {
  return (
    <Field {...field}>
      <ReferenceInput source={source} known={known} waits={waits} clears={clears} />
    </Field>
  )
}

/** Several other things, chosen by name. The value is their ids. */
export function ReferencesField({
  source,
  known,
  waits,
  clears,
  ...field
}: FieldProps<readonly ReferenceId[]> & Props) {
  return (
    <Field {...field}>
      <ReferenceInput source={source} known={known} waits={waits} clears={clears} many />
    </Field>
  )
}

interface InputProps extends FieldInput<ReferenceId | readonly ReferenceId[] | null> {
  source: ReferenceSource
  known: readonly Reference[] | undefined
  waits: boolean | undefined
  clears: readonly string[] | undefined
  many?: boolean
}

function ReferenceInput({ source, known, waits, clears = [], many = false, value, onChange, ...look }: InputProps) {
  const form = Form.useFormInstance()
  const change = (ids: readonly ReferenceId[]) => {
    onChange?.(many ? ids : ids[0])
    form.setFieldsValue(Object.fromEntries(clears.map((name) => [name, undefined])))
  }
  return (
    <ReferenceSelect
      source={source}
      ids={[value ?? []].flat() as ReferenceId[]}
      onChange={change}
      many={many}
      look={look}
      {...(known && { known })}
      {...(waits !== undefined && { waits })}
    />
  )
}

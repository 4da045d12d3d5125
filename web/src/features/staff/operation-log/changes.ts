/** A field of an object before and after an act, as text. */
export interface Change {
  field: string
  was: string
  is: string
  differs: boolean
}

const fieldsOf = (value: unknown): Record<string, unknown> => {
  if (value === null || value === undefined) return {}
  return typeof value === 'object' && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : { value }
}

const textOf = (value: unknown) => {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Compares two objects field by field; what differs comes first. */
export function changesOf(before: unknown, after: unknown): Change[] {
  const [was, is] = [fieldsOf(before), fieldsOf(after)]
  const fields = [...new Set([...Object.keys(was), ...Object.keys(is)])]
  return fields
    .map((field) => {
      const [old, now] = [textOf(was[field]), textOf(is[field])]
      return { field, was: old, is: now, differs: old !== now }
    })
    .sort((a, b) => Number(b.differs) - Number(a.differs))
}

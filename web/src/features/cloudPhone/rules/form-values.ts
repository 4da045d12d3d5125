import { type Key, keys, type Values } from './values'

/** What the fields of the form hold. They are called as the server calls them in what it refuses. */
export type Fields = Record<string, unknown>

/** Nothing of its own is chosen. */
export const inheritValue = 0
/** The night: inherited, open, or closed from a time to another. */
export const night = { inherit: 0, open: 1, closed: 2 } as const

export const fieldOf = (key: Key) => `values.${key}`
export const nightField = 'night'
export const nightFrom = 'values.nightClose.from'
export const nightTo = 'values.nightClose.to'

/** The fields that show these values. */
export function toFields(values: Values): Fields {
  const fields: Fields = {}
  for (const key of keys) if (key !== 'nightClose') fields[fieldOf(key)] = values[key]
  fields[fieldOf('yearCardOffline')] ??= inheritValue
  const { nightClose } = values
  fields[nightField] = nightClose ? (nightClose.from ? night.closed : night.open) : night.inherit
  fields[nightFrom] = nightClose?.from ?? ''
  fields[nightTo] = nightClose?.to ?? ''
  return fields
}

/** The values that these fields show: what is empty is inherited, and is left out. */
export function toValues(fields: Fields): Values {
  const isSet = ([key, value]: [Key, unknown]) =>
    value !== undefined && value !== null && value !== '' && !(key === 'yearCardOffline' && value === inheritValue)
  const plain = keys.filter((key) => key !== 'nightClose').map((key): [Key, unknown] => [key, fields[fieldOf(key)]])
  return { ...Object.fromEntries(plain.filter(isSet)), ...nightOf(fields) }
}

function nightOf(fields: Fields): Pick<Values, 'nightClose'> {
  if (fields[nightField] === night.open) return { nightClose: { from: '', to: '' } }
  if (fields[nightField] !== night.closed) return {}
  return { nightClose: { from: String(fields[nightFrom] ?? ''), to: String(fields[nightTo] ?? '') } }
}

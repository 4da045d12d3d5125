/**
 * Forms have flat fields, calls have nested bodies. A field's name is the path that the server uses in its errors:
 * `intranet.startIp`, `ranges[0].startSlot`.
 */
export type Flat = Record<string, unknown>

/** The fields of a nested value. */
export function flatten(value: object, prefix = ''): Flat {
  const flat: Flat = {}
  for (const [key, part] of Object.entries(value)) {
    const path = Array.isArray(value) ? `${prefix}[${key}]` : prefix === '' ? key : `${prefix}.${key}`
    if (typeof part === 'object' && part !== null) Object.assign(flat, flatten(part, path))
    else flat[path] = part
  }
  return flat
}

/** The nested value of fields. Blank ones are left out, and so is what holds nothing else. */
export function nest<T extends object>(flat: Flat): T {
  const root: Record<string, unknown> = {}
  for (const [path, value] of Object.entries(flat)) {
    if (value === undefined || value === null || value === '') continue
    const steps = path.split(/[.[\]]+/).filter(Boolean)
    let at = root
    steps.forEach((step, index) => {
      const next = steps[index + 1]
      if (next === undefined) at[step] = value
      else {
        at[step] ??= /^\d+$/.test(next) ? [] : {}
        at = at[step] as Record<string, unknown>
      }
    })
  }
  return root as T
}

type Scalar = string | number | boolean | null | undefined

/** The variable parts of one request. */
export interface RequestParts {
  path?: object | undefined
  query?: object | undefined
  body?: unknown
  headers?: Record<string, string> | undefined
}

function fillPath(template: string, values: object | undefined): string {
  const known = (values ?? {}) as Record<string, Scalar>
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(known[name] ?? '')))
}

function queryString(values: object | undefined): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries((values ?? {}) as Record<string, Scalar | Scalar[]>)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null && item !== '') search.append(name, String(item))
    }
  }
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}

/** The address of a call, for links and event streams as well. */
export function addressOf(template: string, parts: RequestParts = {}): string {
  return fillPath(template, parts.path) + queryString(parts.query)
}

/** A request as it goes over the wire. */
export interface Sent {
  method: string
  address: string
  /** Empty for none. */
  body: string
}

/** How a documented call is sent that carries no file. */
export const sentAs = ({ method, path }: { method: string; path: string }, parts: RequestParts): Sent => ({
  method,
  address: addressOf(path, parts),
  body: parts.body === undefined ? '' : JSON.stringify(parts.body),
})

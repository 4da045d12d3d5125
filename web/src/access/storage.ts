/** Every value that the console keeps in browser storage lives under this prefix. */
export const storagePrefix = 'skyrack:'

/** The shape in which each value is kept. */
interface Stored<T> {
  value: T
  updatedAt: string
}

/** Keeps one value together with the time of the change. */
export function save<T>(key: string, value: T) {
  const stored: Stored<T> = { value, updatedAt: new Date().toISOString() }
  localStorage.setItem(storagePrefix + key, JSON.stringify(stored))
}

/** Reads one value; undefined when it is missing or was damaged by somebody else. */
export function load<T>(key: string): T | undefined {
  const text = localStorage.getItem(storagePrefix + key)
  if (text === null) return undefined
  try {
    return (JSON.parse(text) as Stored<T>).value
  } catch {
    return undefined
  }
}

/** Forgets everything. Logging out clears all of local storage, not only our prefix, as the specification says. */
export function clearStorage() {
  localStorage.clear()
}

/** Keeps one text across a single reload of this browser tab. */
export const parting = {
  leave(text: string) {
    sessionStorage.setItem(`${storagePrefix}parting`, text)
  },
  take(): string | undefined {
    const text = sessionStorage.getItem(`${storagePrefix}parting`)
    sessionStorage.removeItem(`${storagePrefix}parting`)
    return text ?? undefined
  },
}

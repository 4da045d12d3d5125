import { useState } from 'react'
import { currentSession } from './session'

/*
 * Preferences (column choice, page size) survive a log-out, and logging out clears local storage. They live in
 * IndexedDB, are read once before the shell appears, and are answered from memory afterwards.
 */
const databaseName = 'skyrack'
const storeName = 'preferences'
const known = new Map<string, unknown>()

/** Stays open: what is written right before the page goes away would be lost while it is opened. */
let database: IDBDatabase | undefined

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    if (database) return resolve(database)
    const opening = indexedDB.open(databaseName, 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore(storeName)
    opening.onsuccess = () => {
      database = opening.result
      // A newer console in another tab, or a person who clears the browser's data.
      database.onversionchange = () => {
        database?.close()
        database = undefined
      }
      database.onclose = () => {
        database = undefined
      }
      resolve(database)
    }
    opening.onerror = () => reject(opening.error)
  })
}

const fullKey = (name: string) => `${currentSession().uid}:${name}`

let loading: Promise<void> | undefined

/** Reads every preference into memory, once. */
export function loadPreferences(): Promise<void> {
  loading ??= readAll()
  return loading
}

/** A browser that forbids IndexedDB simply remembers nothing. */
async function readAll(): Promise<void> {
  if (typeof indexedDB === 'undefined') return
  try {
    const stored = await openDatabase()
    await new Promise<void>((resolve, reject) => {
      const cursor = stored.transaction(storeName).objectStore(storeName).openCursor()
      cursor.onsuccess = () => {
        const at = cursor.result
        if (!at) return resolve()
        known.set(String(at.key), at.value)
        at.continue()
      }
      cursor.onerror = () => reject(cursor.error)
    })
  } catch {
    known.clear()
  }
}

/** The remembered choice of this person, if there is one. */
export const preference = <T>(name: string): T | undefined => known.get(fullKey(name)) as T | undefined

/** Remembers a choice for this person in this browser. */
export function setPreference<T>(name: string, value: T) {
  const key = fullKey(name)
  known.set(key, value)
  if (typeof indexedDB === 'undefined') return
  if (database) return put(database, key, value)
  openDatabase().then(
    (opened) => put(opened, key, value),
    () => undefined,
  )
}

function put(into: IDBDatabase, key: string, value: unknown) {
  const change = into.transaction(storeName, 'readwrite')
  change.objectStore(storeName).put(value, key)
  change.commit()
}

/** A state that is remembered per person: `const [columns, setColumns] = usePreference('clientUser.columns', all)`. */
export function usePreference<T>(name: string, initial: T): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => preference<T>(name) ?? initial)
  const change = (next: T) => {
    setValue(next)
    setPreference(name, next)
  }
  return [value, change]
}

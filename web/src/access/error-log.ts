import { create } from 'zustand'
import { request } from '@/api/client'
import { currentSession } from './session'
import { load, save } from './storage'

/** One error that this browser caught. */
export interface ClientError {
  message: string
  component: string
  address: string
  stack: string
  time: string
}

const key = 'errorLog'
const most = 100

const store = create<{ errors: ClientError[] }>(() => ({ errors: load<ClientError[]>(key) ?? [] }))

export const useErrorLog = () => store((state) => state.errors)

function keep(errors: ClientError[]) {
  store.setState({ errors })
  try {
    save(key, errors)
  } catch {
    // Storage is full or forbidden; the log stays in memory.
  }
}

/** Writes an error to the log of this browser and tells the server, so that others can see it. */
export function logError(error: unknown, component = '') {
  const { message, stack } = causeOf(error)
  const entry = { message, component, stack, address: window.location.href, time: new Date().toISOString() }
  console.error(error)
  keep([entry, ...store.getState().errors].slice(0, most))
  if (currentSession().token === '') return
  const body = { message, component, address: entry.address, stack }
  // A report that fails must not raise an error of its own.
  request('POST', '/api/general/v1/client-errors', { body }, { suppressNotice: true }).catch(() => undefined)
}

export const clearErrorLog = () => keep([])

/** The message and stack of whatever was thrown. */
export function causeOf(error: unknown): { message: string; stack: string } {
  if (error instanceof Error) return { message: error.message || error.name, stack: error.stack ?? '' }
  return { message: typeof error === 'string' ? error : JSON.stringify(error), stack: '' }
}

import { currentSession } from '@/access/session'
import { load, save } from '@/access/storage'
import type { OperationId } from '@/api/call'
import { addressOf } from '@/api/client'
import { operations } from '@/api/operations'
import { type PageCall, type PageFit, q, queryClient } from '@/api/query'
import { rowsThatFit } from '@/kit/list/fit'

/** One read that a page asked for, both as the query layer and as the script in the page knows it. */
interface RecordedCall extends PageCall {
  method: string
  address: string
  /** The body as it is sent; none for a call without. */
  body?: string
}

/**
 * What a page asked for first at an address. The next visit to it begins with the same calls, before the page is there:
 * the address alone does not tell them, for the size of a page and the filters of a list are the page's to read.
 */
export interface RecordedCalls {
  /** Path and query of the page. */
  address: string
  /** The path that the screen was built with, wherever the menu has it. */
  screen: string
  calls: RecordedCall[]
}

/** Enough for every screen and the filters somebody comes back to; together less than 30 KB of storage. */
const mostAddresses = 40
const mostCalls = 4
const longestAddress = 500
/** What begins this long after the first call of a page is an answer to something that happened there. */
const burst = 100

const key = 'firstCalls'
const recorded = () => load<RecordedCalls[]>(key) ?? []

/** Addresses whose first calls have been seen since this load of the console, with the moment of the first one. */
const begun = new Map<string, { at: number; calls: RecordedCall[] }>()

/** Remembers that a page made a read, if it is one of its first. */
export function recordCall({ address, screen }: { address: string; screen: string }, call: PageCall) {
  if (currentSession().token === '' || address.length > longestAddress) return
  const now = performance.now()
  const seen = begun.get(address) ?? { at: now, calls: [] }
  begun.set(address, seen)
  if (now - seen.at > burst || seen.calls.length === mostCalls) return
  seen.calls.push(asSent(call))
  const others = recorded().filter((one) => one.address !== address)
  save(key, [{ address, screen, calls: seen.calls }, ...others].slice(0, mostAddresses))
}

function asSent(call: PageCall): RecordedCall {
  const { method, path } = operations[call.id]
  const body = call.parts.body === undefined ? {} : { body: JSON.stringify(call.parts.body) }
  return { ...call, method: method.toUpperCase(), address: addressOf(path, call.parts), ...body }
}

/** Asks for what the page of this address asked for when it was opened last; the page finds the answers there. */
export async function repeatCalls(address: string): Promise<void> {
  const calls = recorded().find((one) => one.address === address)?.calls ?? []
  // A call that is refused now is nothing to speak of: the page may not ask for it any more.
  await Promise.all(calls.map(({ id, parts, fit }) => queryClient.prefetchQuery(queryOf(id, sized(parts, fit)))))
}

/** The parts with the page size that fits the window as it is now; `early.ts` does the same with what is sent. */
function sized(parts: object, fit: PageFit | undefined): object {
  if (!fit) return parts
  const rows = rowsThatFit(fit, window.innerHeight)
  return JSON.parse(JSON.stringify(parts).replace(/"pageSize":\d+/, `"pageSize":${rows}`))
}

/** The parts came from a call of the same name; their types do not survive the storage. */
const queryOf = (id: OperationId, parts: object) => {
  const args = [id, parts, { suppressNotice: true }] as unknown as Parameters<typeof q<'clientUserPage'>>
  return q(...args)
}

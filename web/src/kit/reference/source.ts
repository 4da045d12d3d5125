import { type CallParts, call, type RowOf } from '@/api/call'
import type { Code } from '@/api/codes'
import { operations } from '@/api/operations'
import type { ListOperation } from '../list/use-list'

export type ReferenceId = string | number

/** A thing as others refer to it. Without a name: the thing is gone, and only its number is left. */
export interface Reference {
  id: ReferenceId
  name?: string | null | undefined
}

/** A thing to choose. */
export interface Named extends Reference {
  name: string
}

/** One page of what a search found. */
export interface ReferencePage {
  items: readonly Named[]
  total: number
}

/** Where the choices of a reference come from: searched by name at the server, page by page. */
export interface ReferenceSource {
  /** What the answers are kept by. It begins with the call, so that a `refresh` of that call finds them. */
  key: readonly unknown[]
  search: (keyword: string, page: number) => Promise<ReferencePage>
  /** One by its id, because addresses and forms hold ids only. Undefined: it is gone. */
  find: (id: ReferenceId) => Promise<Named | undefined>
  /** The code without which nobody may search; then nothing is asked, and nothing can be chosen. */
  need?: Code
}

/** Rows that a popup asks for at once: some screens of it, and far from a whole table. */
export const choicesAtOnce = 20

interface ListSourceOptions<T> {
  name: (row: T) => string
  find: (id: ReferenceId) => Promise<Named | undefined>
  need?: Code
  /** What always goes with the question, such as the room whose frames are meant. */
  within?: Record<string, unknown>
}

/** The rows of a list call as choices. */
export function listSource<K extends ListOperation>(
  operation: K,
  { name, find, need, within = {} }: ListSourceOptions<RowOf<K> & { id: ReferenceId }>,
): ReferenceSource {
  return {
    key: [operation, 'choices', within],
    search: async (keyword, page) => {
      const asked = { ...within, ...(keyword && { keyWord: keyword }), pageNum: page, pageSize: choicesAtOnce }
      const { list, total } = await listed(operation, asked)
      return { items: list.map((row) => ({ id: row.id, name: name(row) })), total }
    },
    find,
    ...(need && { need }),
  }
}

/** The first row that a list call answers to a question that only one row fits. */
export async function firstOfList<K extends ListOperation>(operation: K, question: Record<string, unknown>) {
  return (await listed(operation, { ...question, pageNum: 1, pageSize: 1 })).list[0]
}

async function listed<K extends ListOperation>(operation: K, question: Record<string, unknown>) {
  const parts = operations[operation].method === 'GET' ? { query: question } : { body: question }
  // What is wrong stands where the choices would be.
  const answer = await call<ListOperation>(operation, parts as unknown as CallParts<ListOperation>, {
    suppressNotice: true,
  })
  return answer as unknown as { list: (RowOf<K> & { id: ReferenceId })[]; total: number }
}

import { useState } from 'react'
import { load, save } from '@/access/storage'
import type { TableMemory, TableNeeds } from '@/ui/table-memory'

type Kept = Readonly<Record<string, TableNeeds>>

const key = 'tables'

/**
 * The memory of a list's table in this browser. A list of a page (`isPage`) has the room of the page as well; one in a
 * drawer shares only its columns.
 */
export function useTableMemory(operation: string, isPage: boolean): TableMemory {
  const [memory] = useState(() => memoryOf(operation, isPage))
  return memory
}

export function memoryOf(operation: string, isPage: boolean): TableMemory {
  const known = load<Kept>(key)?.[operation]
  return {
    name: operation,
    before: known && { columns: known.columns, beside: isPage ? known.beside : undefined },
    keep: (now) => {
      // Signing out empties the browser's storage: a page that goes with it leaves nothing behind.
      if (!load<string>('token')) return
      const all = load<Kept>(key) ?? {}
      const next = { columns: now.columns, beside: isPage ? now.beside : all[operation]?.beside }
      if (JSON.stringify(next) !== JSON.stringify(all[operation])) save(key, { ...all, [operation]: next })
    },
  }
}

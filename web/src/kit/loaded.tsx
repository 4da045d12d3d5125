import type { ReactNode } from 'react'
import { sentenceOf } from '@/api/sentence'
import { useMessages } from '@/i18n/messages'
import { Button } from '@/ui/button'
import { Placeholder } from '@/ui/placeholder'
import { Skeleton } from '@/ui/skeleton'
import { kitMessages } from './messages'

/** The query whose answer is awaited. */
export interface Loading<T> {
  data: T | undefined
  error: Error | null
  refetch: () => unknown
}

/** Shows what has arrived; before that, grey lines in its place, or the failure. */
export function Loaded<T>({ query, children }: { query: Loading<T>; children: (data: T) => ReactNode }) {
  const m = useMessages(kitMessages)
  if (query.data !== undefined) return children(query.data)
  return query.error ? <LoadFailed error={query.error} onRetry={query.refetch} /> : <Skeleton label={m.loading} />
}

/** Says why something could not be loaded, in the server's words, and offers a retry. */
export function LoadFailed({ error, onRetry }: { error: Error; onRetry: () => unknown }) {
  const m = useMessages(kitMessages)
  return (
    <Placeholder
      title={m.loadFailed}
      hint={sentenceOf(error)}
      action={<Button onClick={() => void onRetry()}>{m.retry}</Button>}
    />
  )
}

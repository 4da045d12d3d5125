import type { ReactNode } from 'react'
import { sentenceOf } from '@/api/sentence'
import { useMessages } from '@/i18n/messages'
import { Button } from '@/ui/button'
import { Placeholder } from '@/ui/placeholder'
import { Spinner } from '@/ui/spinner'
import { kitMessages } from './messages'

/** The answer that a place waits for: any query fits. */
export interface Loading<T> {
  data: T | undefined
  error: Error | null
  refetch: () => unknown
}

/** Shows what has arrived; before that, that it is on its way or why it does not come. */
export function Loaded<T>({ query, children }: { query: Loading<T>; children: (data: T) => ReactNode }) {
  const m = useMessages(kitMessages)
  if (query.data !== undefined) return children(query.data)
  return query.error ? <LoadFailed error={query.error} onRetry={query.refetch} /> : <Spinner label={m.loading} />
}

/** Says why something could not be read, in the server's words, and offers to try again. */
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

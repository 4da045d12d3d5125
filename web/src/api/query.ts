import {
  keepPreviousData,
  type Query,
  QueryClient,
  type QueryFilters,
  type QueryKey,
  queryOptions,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { onLanguage } from '@/i18n/language'
import { textsOf } from '@/i18n/messages'
import { type CallParts, call, type DataOf, type OperationId, type PartsArgument } from './call'
import { errorTexts } from './errors'
import { isApiFailure } from './failure'
import { notifyError } from './notices'
import { onRecovery, saysOutage } from './outage'
import type { PageCall } from './page-call'

/** Query settings that a caller may want to choose. */
export interface QuerySettings {
  enabled?: boolean
  suppressNotice?: boolean
  refetchInterval?: number | false
  staleTime?: number
  /** Keeps the last answer on screen while the next one is on its way. For lists that page. */
  keepPrevious?: boolean
}

/** Options of the query for a documented call. The key is `[id, parts]`, so `refresh: [id]` finds it. */
export function q<K extends OperationId>(id: K, ...[parts, options]: PartsArgument<K>) {
  return queryOptions({
    queryKey: [id, parts ?? {}] as const,
    meta: { suppressNotice: options?.suppressNotice },
    queryFn: ({ signal }) => {
      const args = [parts, { waitsOutOutages: true, ...options, signal }] as unknown as PartsArgument<K>
      return call(id, ...args)
    },
  })
}

type QueryArgument<K extends OperationId> =
  Record<string, never> extends CallParts<K>
    ? [parts?: CallParts<K>, settings?: QuerySettings]
    : [parts: CallParts<K>, settings?: QuerySettings]

/** Reads through a documented call. */
export function useApiQuery<K extends OperationId>(
  id: K,
  ...[parts, settings = {}]: QueryArgument<K>
): UseQueryResult<DataOf<K>> {
  const { keepPrevious, suppressNotice, ...rest } = settings
  const args = [parts, suppressNotice ? { suppressNotice } : {}] as unknown as PartsArgument<K>
  return useQuery({
    ...q(id, ...args),
    ...rest,
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
  })
}

/**
 * Asks for an answer before anybody waits for it; whoever does finds it. It comes back when there is one to show: at once,
 * where an older one is. A refusal is told if a page has come to wait for it by then; any other asks again itself.
 */
export async function readAhead({ id, parts }: PageCall): Promise<void> {
  const options = { suppressNotice: () => !isAwaited(asked.queryKey) }
  // The parts are those of a call of that name (`asks`).
  const asked = q(...([id, parts, options] as unknown as Parameters<typeof q<'clientUserPage'>>))
  const isThere = queryClient.getQueryData(asked.queryKey) !== undefined
  const read = queryClient.prefetchQuery(asked)
  if (!isThere) await read
}

/** Whether something on the page waits for an answer that leaves it to the client to say why there is none. */
const isAwaited = (queryKey: QueryKey) =>
  queryClient
    .getQueryCache()
    .find({ queryKey })
    ?.observers.some(({ options }) => options.meta?.suppressNotice !== true) === true

/** Mutation settings: which queries are stale afterwards, and whether the caller shows errors itself. */
export interface MutationSettings {
  refresh?: readonly OperationId[]
  suppressNotice?: boolean
}

/** Writes through a documented call, then reloads what it made stale. */
export function useApiMutation<K extends OperationId>(
  id: K,
  { refresh = [], suppressNotice = false }: MutationSettings = {},
): UseMutationResult<DataOf<K>, Error, CallParts<K>> {
  const client = useQueryClient()
  return useMutation<DataOf<K>, Error, CallParts<K>>({
    mutationKey: [id],
    mutationFn: (parts) => call(id, ...([parts, { suppressNotice }] as unknown as PartsArgument<K>)),
    onSuccess: () => refreshQueries(client, refresh),
    onError: (error) => {
      if (!isApiFailure(error)) notifyError(textsOf(errorTexts).network)
    },
  })
}

/** Marks the answers of these calls stale and reloads those on screen. */
export async function refreshQueries(client: QueryClient, ids: readonly OperationId[]) {
  await Promise.all(ids.map((id) => renew(client, { queryKey: [id] })))
}

/** First answers that are asked for once more as soon as they are there. */
const outdated = new WeakSet<Query>()

/**
 * Marks answers stale and reloads those on screen. A first answer that is still on its way may be older than the change,
 * and the library would take it for new: it is asked for again when it has come. It is not cut off, or changes that come
 * quickly would keep it away for ever.
 */
async function renew(client: QueryClient, filters: QueryFilters = {}) {
  const isFirst = (query: Query) => query.state.data === undefined && !outdated.has(query)
  for (const query of client.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching', predicate: isFirst })) {
    outdated.add(query)
    const again = () => {
      outdated.delete(query)
      return client.invalidateQueries({ queryKey: query.queryKey, exact: true })
    }
    // The answer under way; whoever asked for it hears of its failure.
    void query.fetch().then(again, again)
  }
  await client.invalidateQueries(filters)
}

/** Whether no console could answer: none is reachable, or only a standby while another takes over. */
const isOutage = (error: unknown) => !isApiFailure(error) || saysOutage(error.httpStatus)

/** Retries of a read that finds no console, with doubling waits: about fifteen seconds. */
const outageTries = 6
const longestWait = 4_000

/** The one query client. A refusal is not tried again; a read that found no console is. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => isOutage(error) && count < outageTries,
      retryDelay: (count) => Math.min(500 * 2 ** count, longestWait) * (0.5 + Math.random() / 2),
      refetchOnWindowFocus: false,
    },
  },
})

// Titles and messages of the server come in the language of the request: those on screen are asked for again.
onLanguage(() => void renew(queryClient))
// What is on screen is from before an outage.
onRecovery(() => void renew(queryClient))

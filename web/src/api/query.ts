import {
  keepPreviousData,
  QueryClient,
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
    queryFn: ({ signal }) => {
      const args = [parts, { ...options, signal }] as unknown as PartsArgument<K>
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
  return useQuery({ ...q(id, ...args), ...rest, ...(keepPrevious ? { placeholderData: keepPreviousData } : {}) })
}

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
  await Promise.all(ids.map((id) => client.invalidateQueries({ queryKey: [id] })))
}

/** The one query client. A refusal is not tried again; a lost connection is, twice. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => !isApiFailure(error) && count < 2,
      refetchOnWindowFocus: false,
    },
  },
})

// Titles and messages of the server come in the language of the request: those on screen are asked for again.
onLanguage(() => void queryClient.invalidateQueries())

import { useInfiniteQuery, useQueries, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useCan } from '@/access/permissions'
import type { Named, Reference, ReferenceId, ReferenceSource } from './source'

/** How long typing may rest before the server is asked. */
const typingPause = 300
/** The longest word that the server takes. */
const longest = 64
/** Names change seldom. */
const fresh = 60_000

/** What a popup has to choose from: the pages of one search that were looked at so far. */
export function useChoices(source: ReferenceSource, isOpen: boolean) {
  const may = useCan()(source.need)
  const [typed, setTyped] = useState('')
  const [keyword, setKeyword] = useState('')

  useEffect(() => {
    const wanted = typed.trim().slice(0, longest)
    if (wanted === keyword) return
    const timer = setTimeout(() => setKeyword(wanted), typingPause)
    return () => clearTimeout(timer)
  }, [typed, keyword])

  const query = useInfiniteQuery({
    queryKey: [...source.key, keyword],
    queryFn: ({ pageParam }) => source.search(keyword, pageParam),
    initialPageParam: 1,
    getNextPageParam: ({ items, total }, pages, page) =>
      items.length > 0 && countOf(pages) < total ? page + 1 : undefined,
    enabled: may && isOpen,
    staleTime: fresh,
  })
  const pages = query.data?.pages ?? []
  return {
    may,
    typed,
    type: setTyped,
    keyword,
    items: unique(pages.flatMap(({ items }) => items)),
    total: pages.at(-1)?.total ?? 0,
    // What was found for the last word is no answer to this one.
    isSearching: query.isFetching || typed.trim().slice(0, longest) !== keyword,
    error: query.error,
    retry: () => void (query.isFetchNextPageError ? query.fetchNextPage() : query.refetch()),
    more: () => {
      if (query.hasNextPage && !query.isFetching && !query.isError) void query.fetchNextPage()
    },
  }
}

const countOf = (pages: readonly { items: readonly unknown[] }[]) =>
  pages.reduce((sum, { items }) => sum + items.length, 0)

/** A row that slid onto the next page while somebody scrolled is there once. */
const unique = (items: readonly Named[]) => [...new Map(items.map((item) => [item.id, item])).values()]

/** The names of what is chosen: known beforehand, remembered from the choosing, or asked for. */
export function useNames(source: ReferenceSource, ids: readonly ReferenceId[], known: readonly Reference[] = []) {
  const client = useQueryClient()
  const may = useCan()(source.need)
  const keyOf = (id: ReferenceId) => [...source.key.slice(0, 1), 'name', id]
  const names = useQueries({
    queries: ids.map((id) => {
      const given = known.find((one) => one.id === id)
      return {
        queryKey: keyOf(id),
        queryFn: async (): Promise<Reference> => (await source.find(id)) ?? { id, name: null },
        enabled: may,
        staleTime: fresh,
        ...(given && { initialData: given }),
      }
    }),
  })
  return {
    /** Undefined: not known, or not known yet. */
    nameOf: (id: ReferenceId): Reference | undefined =>
      names[ids.indexOf(id)]?.data ?? known.find((one) => one.id === id),
    remember: (chosen: readonly Named[]) => {
      for (const one of chosen) client.setQueryData(keyOf(one.id), one)
    },
  }
}

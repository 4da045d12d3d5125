import { useEffect } from 'react'
import { useLocation } from 'react-router'
import type { Pair } from '@/i18n/messages'
import { changeTabs, named } from './tabs'

/** Names the page of one thing: in its tab, in the path above it, and in the window's title. */
export function useOwnTitle(name: Pair | undefined) {
  const { pathname } = useLocation()
  const [zh, en] = name ?? []
  // The tabs are outside this page.
  useEffect(() => {
    if (zh !== undefined && en !== undefined) changeTabs((state) => named(state, pathname, [zh, en]))
  }, [pathname, zh, en])
}

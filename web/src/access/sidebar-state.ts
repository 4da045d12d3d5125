import { create } from 'zustand'
import { readCookie, writeCookie } from '@/i18n/cookie'

const cookieName = 'sidebarStatus'

// Open unless it was closed: a first visitor should see where everything is.
const store = create<{ open: boolean }>(() => ({ open: readCookie(cookieName) !== '0' }))

export const useSidebarOpen = () => store((state) => state.open)

/** Opens or closes the sidebar and remembers it as 1 or 0. */
export function setSidebarOpen(open: boolean) {
  writeCookie(cookieName, open ? '1' : '0')
  store.setState({ open })
}

import { create } from 'zustand'
import { readCookie, writeCookie } from '@/i18n/cookie'

export type Theme = 'light' | 'dark'

const cookieName = 'theme'

function initialTheme(): Theme {
  const chosen = readCookie(cookieName)
  if (chosen === 'light' || chosen === 'dark') return chosen
  return window.matchMedia?.('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

const store = create<{ theme: Theme }>(() => ({ theme: initialTheme() }))

export const currentTheme = (): Theme => store.getState().theme
export const useTheme = (): Theme => store((state) => state.theme)

/** Switches light and dark. Kept in a cookie, because logging out clears local storage. */
export function setTheme(theme: Theme) {
  writeCookie(cookieName, theme)
  store.setState({ theme })
}

export const onTheme = (listener: (theme: Theme) => void) => store.subscribe((state) => listener(state.theme))

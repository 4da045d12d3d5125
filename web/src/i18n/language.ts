import { create } from 'zustand'
import { readCookie, writeCookie } from './cookie'

export type Language = 'zh' | 'en'

const cookieName = 'language'

function storedLanguage(): Language {
  return readCookie(cookieName) === 'en' ? 'en' : 'zh'
}

const store = create<{ language: Language }>(() => ({ language: storedLanguage() }))

function mark(language: Language) {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
}
mark(storedLanguage())

/** The language of the moment, for code outside React. */
export const currentLanguage = (): Language => store.getState().language

/** The language of the moment; the component follows a switch. */
export const useLanguage = (): Language => store((state) => state.language)

/** Switches the language everywhere at once and remembers it in the cookie that the server reads too. */
export function setLanguage(language: Language) {
  writeCookie(cookieName, language)
  mark(language)
  store.setState({ language })
}

/** Calls back after every switch; returns the way to stop. */
export const onLanguage = (listener: (language: Language) => void) =>
  store.subscribe((state) => listener(state.language))

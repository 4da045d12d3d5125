import { type Language, useLanguage } from '@/i18n/language'
import { inLanguage, type Pair } from '@/i18n/messages'
import { allScreens } from './screens'

let sections: Readonly<Record<string, Pair>> = {}
let index: Map<string, Pair> | undefined

/** Told once at start: the titles of the sections, which have no screen to carry them. */
export function setSectionTitles(titles: Readonly<Record<string, Pair>>) {
  sections = titles
  index = undefined
}

/** A title is found by its key (the code of a screen or section) or by its Chinese text, which the tree may carry. */
function knownTitles(): Map<string, Pair> {
  if (index) return index
  const screens = allScreens().map((screen) => [screen.code, screen.title] as const)
  const keyed = [...Object.entries(sections), ...screens]
  index = new Map([...keyed.map(([, pair]) => [pair[0], pair] as const), ...keyed])
  return index
}

/** The title of a route: translated when a key exists, otherwise the raw name. */
export function titleIn(raw: string, language: Language): string {
  const pair = knownTitles().get(raw)
  return pair ? inLanguage(pair, language) : raw
}

/** The same, following the language. */
export function useTitle(): (raw: string) => string {
  const language = useLanguage()
  return (raw) => titleIn(raw, language)
}

/** Forgets the index; the screens or sections have changed. */
export function resetTitles() {
  index = undefined
}

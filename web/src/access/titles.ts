import { useLocation } from 'react-router'
import { sections } from '@/api/catalogue'
import { type Language, useLanguage } from '@/i18n/language'
import { inLanguage, type Pair } from '@/i18n/messages'
import { useRoutesOfSession } from './access'
import { routeAt } from './routes'
import { allScreens, type Screen } from './screens'

let index: { of: readonly Screen[]; titles: Map<string, Pair> } | undefined

/** A title is found by its key (the code of a screen or section) or by its Chinese text, which the tree may carry. */
function knownTitles(): Map<string, Pair> {
  const known = allScreens()
  if (index?.of === known) return index.titles
  const screens = known.map((screen) => [screen.code, screen.title] as const)
  const keyed: (readonly [string, Pair])[] = [...Object.entries(sections), ...screens]
  index = { of: known, titles: new Map([...keyed.map(([, pair]) => [pair[0], pair] as const), ...keyed]) }
  return index.titles
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

/** The title of the screen that this is part of, as the menu has it. Empty outside of all screens. */
export function useScreenTitle(): string {
  const { pathname } = useLocation()
  const route = routeAt(useRoutesOfSession(), pathname)
  const title = useTitle()
  return route ? title(route.title) : ''
}

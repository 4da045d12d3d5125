/** One thing that quick search found. */
export interface SearchHit {
  key: string
  title: string
  detail?: string
  path: string
}

/** A kind of thing that quick search can look for besides screens: cards, phones, client users, agents. */
export interface SearchSource {
  id: string
  title: readonly [zh: string, en: string]
  /** The right to look at it; without it the source is not asked. */
  need: string
  search(text: string, signal: AbortSignal): Promise<SearchHit[]>
}

let sources: readonly SearchSource[] = []

export function setSearchSources(known: readonly SearchSource[]) {
  sources = known
}

export const searchSources = () => sources

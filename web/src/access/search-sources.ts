/** One thing that quick search found. */
export interface SearchHit {
  key: string
  title: string
  detail?: string
  path: string
}

/** A kind of thing that quick search finds besides screens: cards, phones, client users, agents. */
export interface SearchSource {
  /** The kind, as the server calls it. */
  kind: string
  title: readonly [zh: string, en: string]
  /** The right to look at it; the server is asked by those who hold one of them. */
  need: string
}

let sources: readonly SearchSource[] = []

export function setSearchSources(known: readonly SearchSource[]) {
  sources = known
}

export const searchSources = () => sources

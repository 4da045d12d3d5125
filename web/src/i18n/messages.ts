import { currentLanguage, type Language, useLanguage } from './language'

/** One text in both languages. Chinese first. */
export type Pair = readonly [zh: string, en: string]

/** What a person may write into `defineMessages`: pairs, sentences with values, and groups of both. */
export interface MessageTree {
  readonly [key: string]: Pair | ((...args: never[]) => Pair) | MessageTree
}

/** The same tree as a reader sees it: every pair has become the text of one language. */
export type Texts<T> = {
  readonly [K in keyof T]: T[K] extends Pair
    ? string
    : T[K] extends (...args: infer A) => Pair
      ? (...args: A) => string
      : Texts<T[K]>
}

/** Texts of one feature. Made by `defineMessages`, read by `useMessages`. */
export interface Messages<T> {
  readonly tree: T
  readonly cache: Partial<Record<Language, Texts<T>>>
}

/** Declares the texts of a feature. A missing language is a type error. */
export function defineMessages<const T extends MessageTree>(tree: T): Messages<T> {
  return { tree, cache: {} }
}

/** English for a number of things: `1 card`, `2 cards`. */
export const counted = (count: number | string, one: string, many = `${one}s`): string =>
  `${count} ${String(count) === '1' ? one : many}`

/** The text of one pair in a language. */
export const inLanguage = (pair: Pair, language: Language): string => (language === 'zh' ? pair[0] : pair[1])

/** The text of one pair in the language of the moment. */
export function useText(pair: Pair): string {
  return inLanguage(pair, useLanguage())
}

function isPair(value: Pair | MessageTree): value is Pair {
  return Array.isArray(value)
}

function translate(tree: MessageTree, language: Language): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(tree).map(([key, value]) => {
      if (typeof value === 'function') return [key, (...args: never[]) => inLanguage(value(...args), language)]
      return [key, isPair(value) ? inLanguage(value, language) : translate(value, language)]
    }),
  )
}

/** The texts in a given language, or that of the moment. For code outside React. */
export function textsOf<T extends MessageTree>(
  messages: Messages<T>,
  language: Language = currentLanguage(),
): Texts<T> {
  const known = messages.cache[language]
  if (known) return known
  const texts = translate(messages.tree, language) as Texts<T>
  messages.cache[language] = texts
  return texts
}

/** The texts of a feature in the language of the moment; the component follows a switch. */
export function useMessages<T extends MessageTree>(messages: Messages<T>): Texts<T> {
  return textsOf(messages, useLanguage())
}

import { trimmed } from './texts'
import { type Rule, type Verdict, violation } from './violation'

/** At most `max` entries. Banners: 5; parameters of a banner: 10. */
export const atMost =
  (max: number): Rule<number> =>
  (count) =>
    count > max ? violation('list.tooMany', { max, count }) : undefined

/** At least one entry: the indicators of an alarm recipient, the packages of a client, certificates. */
export const atLeastOne: Rule<number> = (count) => (count === 0 ? violation('list.empty') : undefined)

/** At most 5 options are recommended. */
export const recommended: Rule<number> = (count) =>
  count > 5 ? violation('recommended.tooMany', { max: 5 }) : undefined

/** Every key is there and is there once. Capitals make a different key. */
export const uniqueKeys: Rule<readonly string[]> = (keys) => {
  const seen = new Set<string>()
  for (const key of keys) {
    if (trimmed(key) === '') return violation('keys.blank')
    if (seen.has(key)) return violation('keys.duplicate', { key })
    seen.add(key)
  }
  return undefined
}

/** The entry at `index` can move up: it is not the first. */
export const moveUp: Rule<number> = (index) => (index === 0 ? violation('list.first') : undefined)

/** The entry at `index` of `count` can move down: it is not the last. */
export const moveDown = (index: number, count: number): Verdict =>
  index + 1 >= count ? violation('list.last') : undefined

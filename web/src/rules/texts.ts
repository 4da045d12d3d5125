import { firstOf, type Rule, type Verdict, violation } from './violation'

/** Characters as the server counts them: Unicode scalar values, not UTF-16 units. */
export const countChars = (text: string): number => [...text].length

/** Without the white space around it; the same set of characters as on the server, which is not that of `trim()`. */
export const trimmed = (text: string): string => text.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, '')

/** Something must be there. Spaces alone are nothing, and neither is an empty list. */
export function required(value: unknown): Verdict {
  const isMissing =
    value === undefined ||
    value === null ||
    (typeof value === 'string' && trimmed(value) === '') ||
    (Array.isArray(value) && value.length === 0)
  return isMissing ? violation('required') : undefined
}

/** At most `max` characters. */
export const maxChars =
  (max: number): Rule<string> =>
  (text) => {
    const count = countChars(text)
    return count > max ? violation('text.tooLong', { max, count }) : undefined
  }

/** Between `min` and `max` characters, both included. */
export const textBetween =
  (min: number, max: number): Rule<string> =>
  (text) => {
    const count = countChars(text)
    return required(text) ?? (count < min || count > max ? violation('text.length', { min, max, count }) : undefined)
  }

/** The first character is not a space of any kind. */
export const noLeadingSpace: Rule<string> = (text) =>
  /^\p{White_Space}/u.test(text) ? violation('text.leadingSpace') : undefined

/** No line break, no other control character, nothing that turns the direction of writing. */
export const singleLine: Rule<string> = (text) =>
  /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(text) ? violation('text.control') : undefined

/** A required text of one line: no leading space, no control character, at most `max` characters. */
export const line =
  (max: number): Rule<string> =>
  (text) =>
    firstOf(text, required, noLeadingSpace, singleLine, maxChars(max))

/** A required text of any number of lines, at most `max` characters. */
export const paragraph =
  (max: number): Rule<string> =>
  (text) =>
    firstOf(text, required, noLeadingSpace, onlyBreaksAndTabs, maxChars(max))

/** One line of `min` to `max` characters. */
export const lineBetween =
  (min: number, max: number): Rule<string> =>
  (text) =>
    firstOf(text, line(Number.POSITIVE_INFINITY), textBetween(min, max))

/** The name of a notification: 1 to 20 characters. */
export const notificationName: Rule<string> = lineBetween(1, 20)

/** The title of an activity: 3 to 20 characters. */
export const activityTitle: Rule<string> = lineBetween(3, 20)

/** The content of an activity: 10 to 50 characters; it may have several lines. */
export const activityContent: Rule<string> = (text) =>
  firstOf(text, paragraph(Number.POSITIVE_INFINITY), textBetween(10, 50))

const onlyBreaksAndTabs: Rule<string> = (text) =>
  /(?![\n\r\t])\p{Cc}/u.test(text) ? violation('text.control') : undefined

import { countChars, lineBetween, maxChars, required, textBetween, trimmed } from './texts'
import { firstOf, type Rule, type RuleCode, type Verdict, violation } from './violation'

const han = '\\u3007\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{2fa1f}\\u{30000}-\\u{3347f}'

const matches =
  (pattern: RegExp, code: RuleCode): Rule<string> =>
  (text) =>
    pattern.test(text) ? undefined : violation(code)

const lengthOf =
  (code: RuleCode, min: number, max: number): Rule<string> =>
  (text) => {
    const count = countChars(text)
    return count < min || count > max ? violation(code, { min, max }) : undefined
  }

/** The user name of an operator: a lowercase letter, then lowercase letters, digits and underscores, 5 to 20 in all. */
export const username: Rule<string> = (text) =>
  firstOf(text, required, matches(/^[a-z][a-z0-9_]*$/, 'username.format'), lengthOf('username.length', 5, 20))

/** The name that somebody signs in with, trimmed, of whatever old form; at most 32 characters. */
export const signInName: Rule<string> = (text) => firstOf(trimmed(text), required, maxChars(32))

/** A password that somebody chooses: 6 to 32 characters, letters and digits, specials of `~!@#$%^&*_` allowed. */
export const password: Rule<string> = (text) =>
  firstOf(
    text,
    loginPassword,
    matches(/^[A-Za-z0-9~!@#$%^&*_]*$/, 'password.characters'),
    matches(/[A-Za-z]/, 'password.mix'),
    matches(/[0-9]/, 'password.mix'),
  )

/** A password that somebody signs in with: 6 to 32 characters of any kind, because older rules may have made it. */
export const loginPassword: Rule<string> = (text) =>
  // Not `required`: a password of spaces is a password.
  text === '' ? violation('required') : lengthOf('password.length', 6, 32)(text)

/** A password that somebody chooses does not have his user name in it, in capitals or not. */
export const passwordWithoutName = (text: string, username: string): Verdict => {
  const name = username.trim().toLowerCase()
  return name !== '' && text.toLowerCase().includes(name) ? violation('password.userName') : undefined
}

/** The password and its repetition are the same. */
export const passwordsMatch = (first: string, again: string): Verdict =>
  first === again ? undefined : violation('password.mismatch')

/** The name of a permission group: one line of 6 to 32 characters. */
export const groupName: Rule<string> = lineBetween(6, 32)

/** A name in Chinese: 1 to 8 Chinese characters. */
export const chineseName: Rule<string> = (text) =>
  firstOf(text, required, matches(new RegExp(`^[${han}]+$`, 'u'), 'chineseName.characters'), textBetween(1, 8))

/** A name of Chinese characters, digits and letters: 1 to 48. */
export const name: Rule<string> = (text) =>
  firstOf(text, required, matches(new RegExp(`^[${han}A-Za-z0-9]+$`, 'u'), 'name.characters'), textBetween(1, 48))

/** The number of a resident identity card by its mask: 17 digits, then a digit or `X`. */
export const idCard: Rule<string> = (text) => firstOf(text, required, matches(/^\d{17}[\dX]$/, 'idCard.format'))

/** Something to ask about, not to refuse: the check digit (GB 11643, ISO 7064 MOD 11-2) does not fit. */
export const idCardWarning: Rule<string> = (text) => {
  if (idCard(text)) return undefined
  // The weight of a digit is a power of two modulo 11, from the right.
  let sum = 0
  for (const [index, digit] of [...text.slice(0, 17)].entries()) sum += Number(digit) * (2 ** (17 - index) % 11)
  return '10X98765432'[sum % 11] === text[17] ? undefined : violation('idCard.checkDigit')
}

/** The number of a bank card by the specification's mask: 20 digits. */
export const bankCard: Rule<string> = (text) => firstOf(text, required, matches(/^\d{20}$/, 'bankCard.format'))

/** Something to ask about, not to refuse: the digits do not add up (Luhn). */
export const bankCardWarning: Rule<string> = (text) => {
  if (bankCard(text)) return undefined
  let sum = 0
  for (const [place, digit] of [...text].reverse().map(Number).entries()) {
    const weighted = place % 2 === 0 ? digit : digit * 2
    sum += weighted > 9 ? weighted - 9 : weighted
  }
  return sum % 10 === 0 ? undefined : violation('bankCard.checkDigit')
}

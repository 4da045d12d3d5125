import { required, trimmed } from './texts'
import { type Reading, type Rule, type RuleCode, type Verdict, verdictOf, violation } from './violation'

const between =
  (code: RuleCode, min: number, max: number): Rule<number> =>
  (value) => {
    if (!Number.isInteger(value)) return violation('integer.format')
    return value < min || value > max ? violation(code, { min, max }) : undefined
  }

/** A whole number from `min` to `max`, both included. */
export const integerBetween = (min: number, max: number): Rule<number> => between('integer.range', min, max)

/** The same for a number that was written as text. */
export const integerTextBetween =
  (min: number, max: number): Rule<string> =>
  (text) => {
    const reading = readWholeNumber(text)
    return 'violation' in reading ? reading.violation : integerBetween(min, max)(reading.value)
  }

/** Reads a whole number: digits without leading zeros, perhaps a minus, at most 15 digits. */
export function readWholeNumber(text: string): Reading<number> {
  const missing = required(text)
  if (missing) return { violation: missing }
  return /^(?:0|-?[1-9]\d{0,14})$/.test(text) ? { value: Number(text) } : { violation: violation('integer.format') }
}

/** A whole number that was written as text. */
export const wholeNumber: Rule<string> = (text) => verdictOf(readWholeNumber(text))

/** Reads a decimal number from `min` to `max` with at most `places` decimals, as a whole number of its last place. */
export function readDecimal(text: string, min: string, max: string, places: number): Reading<number> {
  const reading = readScaled(text, places)
  if ('violation' in reading) return reading
  const isOutside = reading.value < bound(min, places) || reading.value > bound(max, places)
  return isOutside ? { violation: violation('number.range', { min, max }) } : reading
}

/** A decimal number from `min` to `max`; the specification's "number 1 to 9.9" is `decimalBetween('1', '9.9', 2)`. */
export const decimalBetween =
  (min: string, max: string, places: number): Rule<string | number> =>
  (value) =>
    verdictOf(readDecimal(String(value), min, max, places))

/** Reads an amount of yuan, from 0 to 99,999,999.99, as fen. */
export const readYuan = (text: string): Reading<number> => readDecimal(text, '0', '99999999.99', 2)

/** An amount of yuan. */
export const yuan: Rule<string | number> = (value) => verdictOf(readYuan(String(value)))

/** A priority: 1 to 100. */
export const priority: Rule<number> = integerBetween(1, 100)

/** The limit of the download speed: 1 to 1000. */
export const downloadSpeed: Rule<number> = between('speed.download', 1, 1000)

/** The limit of the upload speed: 1 to 1000. */
export const uploadSpeed: Rule<number> = between('speed.upload', 1, 1000)

/** The price of an event, in fen, is lower than the price of the package without it. */
export const eventPrice = (event: number, original: number): Verdict =>
  event < original ? undefined : violation('price.notLower')

/** Reads the extra star coins of a package: blank or 0 means none. */
export function readGiftCount(text: string): Reading<number | undefined> {
  if (trimmed(text) === '') return { value: undefined }
  const reading = readWholeNumber(text)
  if ('violation' in reading) return reading
  const wrong = integerBetween(0, 99_999)(reading.value)
  return wrong ? { violation: wrong } : { value: reading.value || undefined }
}

/** The extra star coins of a package. */
export const giftCount: Rule<string | number> = (value) => verdictOf(readGiftCount(String(value)))

/** The digits of a decimal number as a whole number. No floating point: 1.15 * 100 is not 115. */
function readScaled(text: string, places: number): Reading<number> {
  const missing = required(text)
  if (missing) return { violation: missing }
  const parts = /^(-?)(0|[1-9]\d{0,10})(?:\.(\d+))?$/.exec(text)
  if (!parts) return { violation: violation('number.format') }
  const [, sign = '', whole = '', fraction = ''] = parts
  if (fraction.length > places) return { violation: violation('number.decimals', { max: places }) }
  return { value: Number(`${sign}${whole}${fraction.padEnd(places, '0')}`) }
}

function bound(text: string, places: number): number {
  const reading = readScaled(text, places)
  if ('violation' in reading) throw new Error(`the bound ${text} is not a number of ${places} decimals`)
  return reading.value
}

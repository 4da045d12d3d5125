import { readDecimal } from './numbers'
import { type Rule, verdictOf, violation } from './violation'

/** Fen as yuan are typed: `1234.56`. In digits, because no fraction is exact in a float. */
export function yuanText(fen: number): string {
  const digits = String(Math.abs(fen)).padStart(3, '0')
  return `${fen < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Currency signs, thousands separators and spaces that come with a pasted amount. */
const around = /[¥￥,，\s]/g

const largest = '99999999999.99'

/** What somebody typed as an amount of yuan, in fen; the text itself where it is none, so that a rule can say why. */
export function fenOrText(typed: string): number | string | undefined {
  const text = typed.replace(around, '')
  if (text === '') return undefined
  const reading = readDecimal(text, `-${largest}`, largest, 2)
  return 'violation' in reading ? text : reading.value
}

/** An amount from `min` to `max` fen, both included. A text is an amount that could not be read. */
export const fenBetween =
  (min: number, max: number): Rule<number | string> =>
  (value) => {
    const bounds = { min: yuanText(min), max: yuanText(max) }
    if (typeof value === 'string') return verdictOf(readDecimal(value, bounds.min, bounds.max, 2))
    return value < min || value > max ? violation('number.range', bounds) : undefined
  }

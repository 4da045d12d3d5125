import { required } from './texts'
import { type Rule, violation } from './violation'

const form = /^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){0,3}(?:-[A-Za-z0-9.]{1,16})?$/

/** One to four numbers with dots, perhaps a suffix: `3.2.1`, `1.0.0.7`, `2.0-rc.1`. */
export const version: Rule<string> = (text) =>
  required(text) ?? (form.test(text) ? undefined : violation('version.format'))

/**
 * The order of two valid versions: -1, 0 or 1. A missing number is 0, so `1.2` equals `1.2.0`; a suffix comes before the
 * release.
 */
export function compareVersions(left: string, right: string): -1 | 0 | 1 {
  const [leftNumbers, leftSuffix] = split(left)
  const [rightNumbers, rightSuffix] = split(right)
  for (let place = 0; place < 4; place += 1) {
    const order = (leftNumbers[place] ?? 0) - (rightNumbers[place] ?? 0)
    if (order !== 0) return order < 0 ? -1 : 1
  }
  if (leftSuffix === rightSuffix) return 0
  if (leftSuffix === undefined) return 1
  if (rightSuffix === undefined) return -1
  return leftSuffix < rightSuffix ? -1 : 1
}

function split(text: string): [number[], string | undefined] {
  const dash = text.indexOf('-')
  const numbers = dash < 0 ? text : text.slice(0, dash)
  return [numbers.split('.').map(Number), dash < 0 ? undefined : text.slice(dash + 1)]
}

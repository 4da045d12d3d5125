import type { Instant } from './times'

/** `YYYY-MM-DD HH:mm:ss` in the zone of the browser, or `offsetMinutes` east of UTC. */
export function formatDateTime(time: Instant, offsetMinutes?: number): string {
  const instant = time.valueOf()
  // The clock on the wall, written as if it were UTC.
  const offset = offsetMinutes ?? -new Date(instant).getTimezoneOffset()
  const wall = new Date(instant + offset * 60_000)
  return Number.isNaN(wall.valueOf()) ? '' : wall.toISOString().slice(0, 19).replace('T', ' ')
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/**
 * How long ago: just now, minutes, hours, 1 day ago; from two days on, and for times to come, the date.
 * A time up to 30 seconds ahead counts as now: clocks of two machines differ.
 */
export function relativeTime(then: Instant, now: Instant, language: 'zh' | 'en', offsetMinutes?: number): string {
  const passed = now.valueOf() - then.valueOf()
  const ago = (count: number, zh: string, en: string) =>
    language === 'zh' ? `${count}${zh}前` : `${count} ${en}${count === 1 ? '' : 's'} ago`
  if (passed <= -30 * second || passed >= 2 * day) return formatDateTime(then, offsetMinutes)
  if (passed < 30 * second) return language === 'zh' ? '刚刚' : 'just now'
  if (passed < hour) return ago(Math.max(1, Math.floor(passed / minute)), '分钟', 'minute')
  if (passed < day) return ago(Math.floor(passed / hour), '小时', 'hour')
  return ago(1, '天', 'day')
}

/** A number in at most one decimal with k, M, G, T, P or E: `1.5k`. Below 1000 it stays whole. */
export const abbreviate = (value: number | bigint): string =>
  signed(value, (size) => inUnits(size, 1000n, ['', 'k', 'M', 'G', 'T', 'P', 'E']))

/** A number of bytes in at most one decimal: `20 MB`. One KB is 1024 bytes. */
export const byteSize = (bytes: number | bigint): string =>
  signed(bytes, (size) => inUnits(size, 1024n, [' B', ' KB', ' MB', ' GB', ' TB', ' PB', ' EB']))

/** An amount of fen as people write it: `¥1,234.56`, `-¥0.05`. */
export const money = (fen: number | bigint): string =>
  signed(fen, (size) => `¥${groupDigits(String(size / 100n))}.${String(size % 100n).padStart(2, '0')}`)

/** A whole number with commas: `1,234,567`. */
export const grouped = (value: number | bigint): string => signed(value, (size) => groupDigits(String(size)))

/**
 * A text as a CSV cell that no spreadsheet takes for a formula: an apostrophe before signs that begin one, the full-width
 * ones of Chinese included.
 */
export const spreadsheetText = (text: string): string => (/^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text)

/** Shows the size of a whole number and puts the minus before it. Exact at any size, therefore in big integers. */
function signed(value: number | bigint, show: (size: bigint) => string): string {
  const whole = typeof value === 'bigint' ? value : BigInt(Math.round(value))
  return whole < 0n ? `-${show(-whole)}` : show(whole)
}

function inUnits(value: bigint, step: bigint, units: readonly string[]): string {
  // Tenths, rounded half up; a unit that rounds to a full step gives way to the next.
  const tenths = (size: bigint) => (value * 10n + size / 2n) / size
  let size = 1n
  let chosen = 0
  while (chosen + 1 < units.length && tenths(size) >= step * 10n) {
    size *= step
    chosen += 1
  }
  const whole = tenths(size) / 10n
  const tenth = tenths(size) % 10n
  return `${whole}${tenth === 0n ? '' : `.${tenth}`}${units[chosen]}`
}

const groupDigits = (digits: string): string => digits.replace(/\B(?=(?:\d{3})+$)/g, ',')

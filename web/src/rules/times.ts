import { required } from './texts'
import { type Reading, type Rule, type Verdict, verdictOf, violation } from './violation'

/** A point in time: a `Date`, milliseconds, or what a date picker gives. */
export interface Instant {
  valueOf(): number
}

/** The end is not before the start. The same instant is allowed. */
export const notBefore = (start: Instant, end: Instant): Verdict =>
  end.valueOf() < start.valueOf() ? violation('time.endBeforeStart') : undefined

/** The chosen time lies after now. */
export const afterNow = (chosen: Instant, now: Instant = Date.now()): Verdict =>
  chosen.valueOf() > now.valueOf() ? undefined : violation('time.notAfterNow')

/** The same for a moment as forms hold it, in RFC 3339. */
export const inFuture: Rule<string> = (text) => afterNow(new Date(text))

/** Reads `YYYY-MM-DD HH:mm:ss`, written in the zone of the browser or `offsetMinutes` east of UTC. */
export function readDateTime(text: string, offsetMinutes?: number): Reading<Date> {
  const missing = required(text)
  if (missing) return { violation: missing }
  const wrong = { violation: violation('time.format') }
  const parts = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})$/.exec(text)
  if (!parts || text.startsWith('0000')) return wrong
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1).map(Number)
  // As UTC first: a day or an hour that does not exist rolls over and is seen in what comes back.
  const written = new Date(0)
  written.setUTCFullYear(year, month - 1, day)
  written.setUTCHours(hour, minute, second)
  if (written.toISOString().slice(0, 19) !== text.replace(' ', 'T')) return wrong
  if (offsetMinutes !== undefined) return { value: new Date(written.valueOf() - offsetMinutes * 60_000) }
  const local = new Date(0)
  local.setFullYear(year, month - 1, day)
  local.setHours(hour, minute, second, 0)
  return { value: local }
}

/** A time that was written as `YYYY-MM-DD HH:mm:ss`. */
export const dateTimeText = (text: string, offsetMinutes?: number): Verdict =>
  verdictOf(readDateTime(text, offsetMinutes))

/** A time of the day, `HH:mm` from `00:00` to `23:59`. */
export const dayTime: Rule<string> = (text) =>
  required(text) ?? (/^([01]\d|2[0-3]):[0-5]\d$/.test(text) ? undefined : violation('time.ofDay'))

const minute = 60_000

/** How long something has lasted, in its largest whole unit. */
export function lasting(
  since: string,
  words: Record<'minutes' | 'hours' | 'days', (count: number) => string>,
  now = Date.now(),
): string {
  const minutes = Math.max(1, Math.floor((now - Date.parse(since)) / minute))
  if (minutes < 60) return words.minutes(minutes)
  if (minutes < 48 * 60) return words.hours(Math.floor(minutes / 60))
  return words.days(Math.floor(minutes / (24 * 60)))
}

import { useLanguage } from '@/i18n/language'
import { formatDateTime, relativeTime } from '@/rules/format'

/** A moment: the exact time, and how long ago it was when the pointer rests on it. */
export function TimeText({ at }: { at: string | null | undefined }) {
  const language = useLanguage()
  if (!at) return <span className="sky-soft">—</span>
  const time = new Date(at)
  // A title instead of a tooltip: a page of 500 rows has a thousand of these.
  return (
    <time className="sky-time" dateTime={at} title={relativeTime(time, new Date(), language)}>
      {formatDateTime(time)}
    </time>
  )
}

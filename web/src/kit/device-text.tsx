import { useText } from '@/i18n/messages'
import { deviceNames } from '@/rules/browser'

/** The browser or device of a sign-in. Browsers are recorded by their Chinese names, whatever the language. */
export function DeviceText({ name }: { name: string | null | undefined }) {
  const text = useText(deviceNames(name ?? ''))
  return text ? <span title={text}>{text}</span> : <span className="sky-soft">—</span>
}

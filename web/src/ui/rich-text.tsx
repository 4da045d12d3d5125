import './rich-text.css'
import { useMemo } from 'react'
import { safeHtml } from './safe-html'

/** A formatted text, cleaned before it is shown, wherever it comes from. */
export default function RichText({ html }: { html: string }) {
  const safe = useMemo(() => ({ __html: safeHtml(html) }), [html])
  // biome-ignore lint/security/noDangerouslySetInnerHtml: cleaned in the line above
  return <div className="sky-rich-text" dangerouslySetInnerHTML={safe} />
}

import { useState } from 'react'
import { useMessages } from '@/i18n/messages'
import { Button } from '@/ui/button'
import { CopyIcon } from '@/ui/icons'
import { kitMessages } from './messages'

/** Copies a text, and says so on itself for a moment. */
export function CopyButton({ text }: { text: string }) {
  const m = useMessages(kitMessages)
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await copyText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 2_000)
  }
  return (
    <Button icon={<CopyIcon />} onClick={() => void copy()}>
      {isCopied ? m.copied : m.copy}
    </Button>
  )
}

/** A console that is reached without TLS has no clipboard; there the old way still works. */
async function copyText(text: string) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  // Inside the dialog that may hold the focus, so that the selection is not taken away.
  const place = document.activeElement?.parentElement ?? document.body
  place.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

import { useState } from 'react'
import { useMessages } from '@/i18n/messages'
import { Button } from '@/ui/button'
import { copyText } from '@/ui/clipboard'
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

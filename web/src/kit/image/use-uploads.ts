import { type RefObject, useEffect, useRef, useState } from 'react'
import { sentenceOf } from '@/api/sentence'
import { currentLanguage } from '@/i18n/language'
import type { FileKind, PixelSize } from '@/rules/files'
import { ruleMessage } from '@/rules/violation'
import type { Picture, SendPicture } from './picture'
import { judgePicture } from './pixels'

/** A picture on its way, or one that was refused. */
interface Upload {
  key: number
  name: string
  sent: number
  failure?: string
}

interface Uploading {
  send: SendPicture
  kind: FileKind
  sizes: readonly PixelSize[]
  /** How many are on their way, for whoever may not go on meanwhile. */
  sending: RefObject<number>
  onDone: (picture: Picture) => void
}

/** Checks and sends pictures, several at once, and keeps what is under way and what was refused. */
export function useUploads(how: Uploading) {
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const last = useRef(0)
  // Pictures arrive while the form goes on: each is put where the value is by then.
  const newest = useRef(how)
  newest.current = how
  useEffect(() => {
    const { sending } = newest.current
    return () => {
      sending.current = 0
    }
  }, [])

  const change = (key: number, part: Partial<Upload>) =>
    setUploads((now) => now.map((upload) => (upload.key === key ? { ...upload, ...part } : upload)))
  const drop = (key: number) => setUploads((now) => now.filter((upload) => upload.key !== key))

  async function start(file: File) {
    const { send, kind, sizes, sending } = newest.current
    last.current += 1
    const key = last.current
    setUploads((now) => [...now, { key, name: file.name, sent: 0 }])
    sending.current += 1
    try {
      const wrong = await judgePicture(file, kind, sizes)
      if (wrong) return change(key, { failure: ruleMessage(wrong, currentLanguage()) })
      const picture = await send(file, (sent) => change(key, { sent }))
      newest.current.onDone({ name: file.name, ...picture })
      drop(key)
    } catch (error) {
      change(key, { failure: sentenceOf(error) })
    } finally {
      sending.current -= 1
    }
  }

  return {
    start: (files: readonly File[]) => {
      setUploads((now) => now.filter(({ failure }) => !failure))
      for (const file of files) void start(file)
    },
    going: uploads.filter(({ failure }) => !failure),
    refused: uploads.filter(({ failure }) => failure),
    drop,
  }
}

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { isOver, isRefused, reasonOf } from './failures'
import type { Begun, Stage } from './in-pieces'
import type { FileSender } from './sender'

/** An upload that stands still until somebody goes on with it. */
interface Stopped {
  is: 'stopped'
  sent: number
  /** None if it was paused. */
  why?: string
}

/** A file on its way. */
export interface Transfer {
  file: File
  stage: Stage | Stopped
}

/** Sends one file, and lets people pause it, go on with it and give it up. */
export function useTransfer<T>(sender: FileSender<T>, onSent: (answer: T, file: File) => void) {
  const [transfer, setTransfer] = useState<Transfer>()
  const [refusal, setRefusal] = useState<string>()
  const client = useQueryClient()
  const unfinished = useQuery({ queryKey: sender.key, queryFn: sender.unfinished, staleTime: 0, retry: false })
  const running = useRef<AbortController>(undefined)
  // Whoever leaves pauses it: the server keeps what has come.
  useEffect(() => () => running.current?.abort(), [])

  async function start(file: File) {
    const control = new AbortController()
    running.current = control
    const { signal } = control
    let sent = 0
    const show = (stage: Transfer['stage']) => setTransfer({ file, stage })
    const onStage = (stage: Stage) => {
      if (signal.aborted) return
      if (stage.is !== 'checking') sent = stage.sent
      show(stage)
    }
    setRefusal(undefined)
    onStage({ is: 'sending', sent })
    try {
      const answer = await sender.send(file, { signal, onStage })
      setTransfer(undefined)
      onSent(answer, file)
    } catch (error) {
      // Given up: what is shown is somebody else's.
      if (running.current !== control) return
      if (signal.aborted) return show({ is: 'stopped', sent })
      const why = reasonOf(error)
      if (!isOver(error)) return show({ is: 'stopped', sent, why })
      setTransfer(undefined)
      setRefusal(why)
      if (isRefused(error)) await discard(file)
    } finally {
      void client.invalidateQueries({ queryKey: sender.key })
    }
  }

  async function forget({ id }: Begun) {
    await sender.giveUp(id).catch((error) => setRefusal(reasonOf(error)))
    await client.invalidateQueries({ queryKey: sender.key })
  }

  async function discard(file: File) {
    const begun = await sender.unfinished().catch(() => [])
    await Promise.all(begun.filter(isOf(file)).map(forget))
  }

  async function giveUp({ file }: Transfer) {
    running.current?.abort()
    running.current = undefined
    setTransfer(undefined)
    await discard(file)
  }

  return {
    transfer,
    refusal,
    /** Those whose file has to be chosen again. */
    unfinished: transfer ? [] : (unfinished.data ?? []),
    start: (file: File) => void start(file),
    pause: () => running.current?.abort(),
    giveUp: (transfer: Transfer) => void giveUp(transfer),
    forget: (upload: Begun) => void forget(upload),
  }
}

/** What the server knows a file by. */
const isOf = (file: File) => (upload: Begun) =>
  upload.fileName === file.name &&
  upload.size === file.size &&
  new Date(upload.modifiedAt).valueOf() === file.lastModified

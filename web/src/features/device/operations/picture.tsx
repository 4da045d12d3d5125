import { useEffect, useRef, useState } from 'react'
import { fetchFile } from '@/api/call'

/** How far below the screen a picture is fetched before it is scrolled to. */
const ahead = '300px'

/** The screen that a card gave to a task. It is fetched, with the session's rights, when it comes into view. */
export function CardPicture({ task, name }: { task: number; name: string }) {
  const frame = useRef<HTMLDivElement>(null)
  const [isSeen, setSeen] = useState(false)
  const [address, setAddress] = useState<string>()

  // The browser knows what is in view.
  useEffect(() => {
    const node = frame.current
    if (!node) return
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) setSeen(true)
      },
      { rootMargin: ahead },
    )
    observer.observe(node)
    return () => observer.disconnect()
  }, [])

  // An address of a blob has to be given back.
  useEffect(() => {
    if (!isSeen) return
    let made: string | undefined
    let isGone = false
    fetchFile('operationTaskFile', { path: { id: task } }).then(
      (file) => {
        if (!file || isGone) return
        made = URL.createObjectURL(file.blob)
        setAddress(made)
      },
      // The call has said why.
      () => undefined,
    )
    return () => {
      isGone = true
      if (made) URL.revokeObjectURL(made)
    }
  }, [isSeen, task])

  return (
    <div ref={frame} className="operation-picture">
      {address && <img src={address} alt={name} />}
    </div>
  )
}

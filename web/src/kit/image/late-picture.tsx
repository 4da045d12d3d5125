import { useEffect, useRef, useState } from 'react'
import { useSeen } from '@/ui/use-seen'

/** How far below the window a picture is fetched before it is scrolled to, in pixels. */
const ahead = 300

interface LatePictureProps {
  /** Fetches it; nothing where there is none. Another function is another picture. */
  load: () => Promise<Blob | undefined>
  /** What it is called by whoever reads it aloud. */
  name: string
  /** The look of the frame, which keeps its place. */
  className: string
}

/** A picture that no address leads to, because it takes the session's rights. It is fetched when it comes into view. */
export function LatePicture({ load, name, className }: LatePictureProps) {
  const frame = useRef<HTMLDivElement>(null)
  const isSeen = useSeen(frame, ahead)
  const [address, setAddress] = useState<string>()

  // An address of a blob has to be given back.
  useEffect(() => {
    if (!isSeen) return
    let made: string | undefined
    let isGone = false
    load().then(
      (blob) => {
        if (!blob || isGone) return
        made = URL.createObjectURL(blob)
        setAddress(made)
      },
      // Who loads it has said why.
      () => undefined,
    )
    return () => {
      isGone = true
      if (made) URL.revokeObjectURL(made)
    }
  }, [isSeen, load])

  return (
    <div ref={frame} className={className}>
      {address && <img src={address} alt={name} />}
    </div>
  )
}

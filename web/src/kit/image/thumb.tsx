import '../kit.css'
import { lazy, Suspense, useState } from 'react'
import { useMessages } from '@/i18n/messages'
import { PictureIcon } from '@/ui/icons'
import { imageMessages } from './image-messages'
import type { Picture } from './picture'

const Preview = lazy(() => import('./preview'))

/** What a picture is called: by its name, else by its place. */
export function usePictureName() {
  const m = useMessages(imageMessages)
  return (picture: Picture, at: number) => picture.name ?? m.nameless(at + 1)
}

/** A small picture that opens large. `among` are those that can be leafed through there. */
export function Thumb({ among, at, size = 28 }: { among: readonly Picture[]; at: number; size?: number }) {
  const m = useMessages(imageMessages)
  const nameOf = usePictureName()
  const [isOpen, setOpen] = useState(false)
  const [broken, setBroken] = useState<string>()
  const picture = among[at]
  if (!picture) return null
  const name = nameOf(picture, at)
  const box = { width: size, height: size }
  if (broken === picture.url) {
    return (
      <span className="kit-thumb" style={box} role="img" aria-label={m.broken(name)} title={m.broken(name)}>
        <PictureIcon aria-hidden />
      </span>
    )
  }
  return (
    <>
      <button type="button" className="kit-thumb" style={box} aria-label={m.open(name)} onClick={() => setOpen(true)}>
        <img src={picture.url} alt="" loading="lazy" draggable={false} onError={() => setBroken(picture.url)} />
      </button>
      {isOpen && (
        <Suspense>
          <Preview among={among} first={at} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

/** The first picture of a thing, and how many more there are. */
export function Thumbs({ of }: { of: Picture | readonly Picture[] | null | undefined }) {
  const m = useMessages(imageMessages)
  const among = [of ?? []].flat() as Picture[]
  if (among.length === 0) return <span className="sky-soft">—</span>
  return (
    <span className="kit-thumbs">
      <Thumb among={among} at={0} />
      {among.length > 1 && <span className="sky-soft">{m.more(among.length - 1)}</span>}
    </span>
  )
}

import '../kit.css'
import { type RefObject, useRef, useState } from 'react'
import { useMessages } from '@/i18n/messages'
import { acceptOf, type FileKind, fileKinds, type PixelSize, pixelList } from '@/rules/files'
import { byteSize } from '@/rules/format'
import { Button } from '@/ui/button'
import { Callout } from '@/ui/callout'
import { CloseIcon, UploadIcon } from '@/ui/icons'
import { OrderHandle } from '@/ui/order-handle'
import { useDisabled } from '@/ui/use-disabled'
import type { FieldInput } from '../form/field'
import { orderMessages } from '../order/order-messages'
import { useOrder } from '../order/use-order'
import { imageMessages } from './image-messages'
import type { Picture, SendPicture } from './picture'
import { Thumb, usePictureName } from './thumb'
import { useUploads } from './use-uploads'

interface ImageInputProps extends Omit<FieldInput<never>, 'value' | 'onChange'> {
  pictures: readonly Picture[]
  onChange: (pictures: readonly Picture[]) => void
  most: number
  send: SendPicture
  kind: FileKind | undefined
  sizes: readonly PixelSize[] | undefined
  sending: RefObject<number>
}

/** Pictures that were sent, those on their way, and where to get more. */
export function ImageInput(props: ImageInputProps) {
  const { pictures, onChange, most, send, kind = 'picture', sizes = [], sending } = props
  const m = useMessages(imageMessages)
  const isOff = useDisabled()
  const chooser = useRef<HTMLInputElement>(null)
  const [left, setLeft] = useState(0)
  // One picture is put in the place of the other; several come to the others.
  const isOne = most === 1
  const newest = useRef(pictures)
  newest.current = pictures
  const uploads = useUploads({
    send,
    kind,
    sizes,
    sending,
    onDone: (picture) => {
      newest.current = isOne ? [picture] : [...newest.current, picture]
      onChange(newest.current)
    },
  })
  const room = isOne ? 1 : most - pictures.length - uploads.going.length
  const take = (list: FileList | null) => {
    const files = [...(list ?? [])]
    setLeft(Math.max(0, files.length - room))
    uploads.start(files.slice(0, Math.max(0, room)))
  }
  const { extensions, maxBytes } = fileKinds[kind]
  const choose = isOne ? m.choose : m.chooseMore(pictures.length, most)
  const isFull = room <= 0 || (isOne && uploads.going.length > 0)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button below does the same
    <div
      className="kit-images"
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes('Files')) event.preventDefault()
      }}
      onDrop={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        if (!isOff) take(event.dataTransfer.files)
      }}
    >
      <Pictures pictures={pictures} isOff={isOff} onChange={onChange} />
      {uploads.going.map(({ key, name, sent }) => (
        <div key={key} role="status" className="kit-progress">
          <progress max={1} value={sent} aria-hidden />
          {m.sending(name, Math.floor(sent * 100))}
        </div>
      ))}
      <input
        ref={chooser}
        type="file"
        // The UI library's forms show what is merely `hidden`.
        style={{ display: 'none' }}
        accept={acceptOf(kind)}
        multiple={!isOne}
        onChange={(event) => {
          take(event.target.files)
          // The same file can be chosen again after it was refused.
          event.target.value = ''
        }}
      />
      <Button
        {...(props.id && { id: props.id })}
        // The label of the field would be all that is said of it otherwise.
        aria-label={choose}
        aria-describedby={props['aria-describedby']}
        aria-invalid={props['aria-invalid']}
        icon={<UploadIcon aria-hidden />}
        // Absent, it follows the form around it.
        {...(isFull && { disabled: true })}
        onClick={() => chooser.current?.click()}
      >
        {choose}
      </Button>
      <div className="sky-soft">
        {m.limits(extensions.join(', '), byteSize(maxBytes))}
        {sizes.length > 0 && ` · ${m.pixels(pixelList(sizes))}`} · {m.drop}
      </div>
      {left > 0 && <Callout tone="warn" title={m.tooMany(most, left)} />}
      {uploads.refused.map(({ key, name, failure = '' }) => (
        <Callout key={key} tone="bad" title={m.refused(name, failure)} />
      ))}
    </div>
  )
}

interface PicturesProps {
  pictures: readonly Picture[]
  isOff: boolean
  onChange: (pictures: readonly Picture[]) => void
}

/** The pictures side by side; where there are several they can change places. */
function Pictures({ pictures, isOff, onChange }: PicturesProps) {
  const m = useMessages(imageMessages)
  const o = useMessages(orderMessages)
  const nameOf = usePictureName()
  const labelOf = (picture: Picture) => nameOf(picture, pictures.indexOf(picture))
  const { list, move, said } = useOrder(pictures, labelOf, onChange)
  if (pictures.length === 0) return null
  return (
    <>
      <ol className="kit-pictures">
        {pictures.map((picture, at) => (
          <li key={picture.id} data-order="x">
            <Thumb among={pictures} at={at} size={88} />
            <span className="kit-picture-acts">
              {pictures.length > 1 && (
                <OrderHandle
                  label={o.move(labelOf(picture))}
                  hint={o.keys}
                  list={list}
                  at={at}
                  count={pictures.length}
                  axis="x"
                  onMove={move}
                />
              )}
              <button
                type="button"
                className="sky-icon-button"
                aria-label={m.remove(labelOf(picture))}
                disabled={isOff}
                onClick={() => onChange(pictures.filter((each) => each !== picture))}
              >
                <CloseIcon aria-hidden />
              </button>
            </span>
          </li>
        ))}
      </ol>
      <span className="visually-hidden" role="status">
        {said}
      </span>
    </>
  )
}

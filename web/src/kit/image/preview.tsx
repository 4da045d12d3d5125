import '../kit.css'
import { useState } from 'react'
import { useMessages } from '@/i18n/messages'
import { Button } from '@/ui/button'
import { Modal } from '@/ui/modal'
import { imageMessages } from './image-messages'
import type { Picture } from './picture'
import { usePictureName } from './thumb'

interface PreviewProps {
  among: readonly Picture[]
  first: number
  onClose: () => void
}

const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 }

/** A picture as large as the window allows; several are leafed through by buttons or arrow keys. */
export default function Preview({ among, first, onClose }: PreviewProps) {
  const m = useMessages(imageMessages)
  const nameOf = usePictureName()
  const [at, setAt] = useState(first)
  const picture = among[at]
  const go = (by: number) => setAt((now) => Math.min(Math.max(now + by, 0), among.length - 1))
  const several = among.length > 1
  return (
    <Modal
      open
      centered
      width="min(960px, 90vw)"
      title={picture && nameOf(picture, at)}
      onCancel={onClose}
      footer={
        several && (
          <div className="kit-preview-foot">
            <Button disabled={at === 0} onClick={() => go(-1)}>
              {m.previous}
            </Button>
            <span role="status">{m.place(at + 1, among.length)}</span>
            <Button disabled={at === among.length - 1} onClick={() => go(1)}>
              {m.next}
            </Button>
          </div>
        )
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys are heard here */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons below do the same */}
      <div className="kit-preview" tabIndex={0} onKeyDown={({ key }) => go(steps[key] ?? 0)}>
        {picture && <img src={picture.url} alt={nameOf(picture, at)} />}
      </div>
    </Modal>
  )
}

import { useState } from 'react'
import { saveFile } from '@/api/save-file'
import { useMessages } from '@/i18n/messages'
import { CopyButton } from '@/kit/copy-button'
import { Button } from '@/ui/button'
import { Checkbox } from '@/ui/checkbox'
import { DownloadIcon } from '@/ui/icons'
import { Modal } from '@/ui/modal'
import { enrolMessages } from './messages'

interface CodesProps {
  codes: readonly string[]
  username: string
  onClose: () => void
}

/** Recovery codes, shown once: the dialog stays until the person says that they are kept. */
export default function CodesDialog(props: CodesProps) {
  const m = useMessages(enrolMessages)
  const [isSaved, setSaved] = useState(false)
  return (
    <Modal
      open
      centered
      width={480}
      title={m.codesTitle}
      closable={false}
      keyboard={false}
      mask={{ closable: false }}
      footer={
        <Button type="primary" disabled={!isSaved} onClick={props.onClose}>
          {m.finish}
        </Button>
      }
    >
      <RecoveryCodes {...props} />
      <Checkbox checked={isSaved} onChange={() => setSaved(!isSaved)}>
        {m.isSaved}
      </Checkbox>
    </Modal>
  )
}

function RecoveryCodes({ codes, username }: CodesProps) {
  const m = useMessages(enrolMessages)
  const text = codes.join('\n')
  const download = () => {
    const blob = new Blob([`${m.fileHead(username)}\n\n${text}\n`], { type: 'text/plain;charset=utf-8' })
    saveFile({ name: `skyrack-recovery-codes-${username}.txt`, blob })
  }
  return (
    <>
      <p>{m.codesText}</p>
      <ol className="own-codes">
        {codes.map((code) => (
          <li key={code} className="sky-mono">
            {code}
          </li>
        ))}
      </ol>
      <div className="own-acts">
        <CopyButton text={text} />
        <Button icon={<DownloadIcon />} onClick={download}>
          {m.download}
        </Button>
      </div>
    </>
  )
}

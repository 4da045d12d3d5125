import { useState } from 'react'
import { useMessages } from '@/i18n/messages'
import { byteSize } from '@/rules/format'
import { Button } from '@/ui/button'
import { Callout } from '@/ui/callout'
import { Upload } from '@/ui/upload'
import { Field, type FieldProps } from '../form/field'
import { kitMessages } from '../messages'
import { FileProgress, UnfinishedUpload } from './file-progress'
import type { FileSender } from './sender'
import { useTransfer } from './use-transfer'

/** What a server makes of a file: others refer to it by its id. */
interface Kept {
  id: number
}

interface FileFieldProps<T extends Kept> extends FieldProps<number> {
  sender: FileSender<T>
  /** The endings that are offered, such as `.apk`; without it, all. */
  accept?: string
  /** What the server found in it, for people. */
  describe?: (found: T) => string
}

/** A file of a form: it is sent when it is chosen, and the value is the id that the server gave it. */
export function FileField<T extends Kept>({ sender, accept, describe, ...field }: FileFieldProps<T>) {
  return (
    <Field {...field}>
      <FileInput sender={sender} accept={accept} describe={describe} />
    </Field>
  )
}

interface FileInputProps<T extends Kept> {
  id?: string
  sender: FileSender<T>
  accept: string | undefined
  describe: ((found: T) => string) | undefined
  onChange?: (id: number | undefined) => void
}

function FileInput<T extends Kept>({ id, sender, accept, describe, onChange }: FileInputProps<T>) {
  const m = useMessages(kitMessages)
  const [kept, setKept] = useState<string>()
  const { transfer, refusal, unfinished, ...acts } = useTransfer(sender, (found, file) => {
    onChange?.(found.id)
    setKept([`${file.name} (${byteSize(file.size)})`, describe?.(found)].filter(Boolean).join(' · '))
  })

  function choose(file: File) {
    setKept(undefined)
    onChange?.(undefined)
    acts.start(file)
  }

  return (
    <div className="kit-file">
      <Upload
        {...(accept && { accept })}
        {...(id && { id })}
        maxCount={1}
        showUploadList={false}
        disabled={transfer !== undefined}
        beforeUpload={(file) => {
          choose(file)
          return false
        }}
      >
        <Button disabled={transfer !== undefined}>{m.chooseFile}</Button>
      </Upload>
      <span aria-live="polite">{kept}</span>
      {transfer && (
        <FileProgress
          transfer={transfer}
          onPause={acts.pause}
          onGoOn={() => acts.start(transfer.file)}
          onGiveUp={() => acts.giveUp(transfer)}
        />
      )}
      {refusal && <Callout tone="bad" title={refusal} />}
      {unfinished.map((upload) => (
        <UnfinishedUpload key={upload.id} upload={upload} onGiveUp={() => acts.forget(upload)} />
      ))}
    </div>
  )
}

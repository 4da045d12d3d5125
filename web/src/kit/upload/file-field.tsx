import { useState } from 'react'
import { addressOf } from '@/api/address'
import type { DataOf, OperationId } from '@/api/call'
import { operations } from '@/api/operations'
import { sentenceOf } from '@/api/sentence'
import { upload } from '@/api/upload'
import { useMessages } from '@/i18n/messages'
import { byteSize } from '@/rules/format'
import { Button } from '@/ui/button'
import { Callout } from '@/ui/callout'
import { Progress } from '@/ui/progress'
import { Upload } from '@/ui/upload'
import { Field, type FieldProps } from '../form/field'
import { kitMessages } from '../messages'

interface FileFieldProps<K extends OperationId> extends FieldProps<number> {
  /** The call that takes the file and answers its id. */
  operation: K
  /** The endings that are offered, such as `.apk`; without it, all. */
  accept?: string
  /** What the server found in it, for people. */
  describe?: (found: DataOf<K>) => string
}

/** A file of a form: it is sent when it is chosen, and the value is the id that the server gave it. */
export function FileField<K extends OperationId>({ operation, accept, describe, ...field }: FileFieldProps<K>) {
  return (
    <Field {...field}>
      <FileInput operation={operation} accept={accept} describe={describe} />
    </Field>
  )
}

interface FileInputProps<K extends OperationId> {
  id?: string
  operation: K
  accept: string | undefined
  describe: ((found: DataOf<K>) => string) | undefined
  onChange?: (id: number | undefined) => void
}

function FileInput<K extends OperationId>({ id, operation, accept, describe, onChange }: FileInputProps<K>) {
  const m = useMessages(kitMessages)
  const [sent, setSent] = useState<number>()
  const [kept, setKept] = useState<string>()
  const [failure, setFailure] = useState<string>()

  async function send(file: File) {
    const form = new FormData()
    form.set('file', file)
    setFailure(undefined)
    setKept(undefined)
    onChange?.(undefined)
    setSent(0)
    try {
      const options = { onProgress: setSent, suppressNotice: true }
      const { data } = await upload(addressOf(operations[operation].path), form, options)
      onChange?.((data as { id: number }).id)
      const found = describe?.(data as DataOf<K>)
      setKept([`${file.name} (${byteSize(file.size)})`, found].filter(Boolean).join(' · '))
    } catch (error) {
      setFailure(sentenceOf(error))
    } finally {
      setSent(undefined)
    }
  }

  return (
    <div className="kit-file">
      <Upload
        {...(accept && { accept })}
        {...(id && { id })}
        maxCount={1}
        showUploadList={false}
        disabled={sent !== undefined}
        beforeUpload={(file) => {
          void send(file)
          return false
        }}
      >
        <Button loading={sent !== undefined}>{m.chooseFile}</Button>
      </Upload>
      <span aria-live="polite">{kept}</span>
      {sent !== undefined && <Progress percent={Math.floor(sent * 100)} status="active" />}
      {failure && <Callout tone="bad" title={failure} />}
    </div>
  )
}

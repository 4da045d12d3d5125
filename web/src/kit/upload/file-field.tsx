import { useState } from 'react'
import type { OperationId } from '@/api/call'
import { addressOf } from '@/api/client'
import { isApiFailure } from '@/api/failure'
import { operations } from '@/api/operations'
import { upload } from '@/api/upload'
import { useMessages } from '@/i18n/messages'
import { byteSize } from '@/rules/format'
import { Button } from '@/ui/button'
import { Callout } from '@/ui/callout'
import { Progress } from '@/ui/progress'
import { Upload } from '@/ui/upload'
import { Field, type FieldProps } from '../form/field'
import { kitMessages } from '../messages'

interface FileFieldProps extends FieldProps<number> {
  /** The call that takes the file and answers its id. */
  operation: OperationId
  /** The endings that are offered, such as `.apk`; without it, all. */
  accept?: string
}

/** A file of a form: it is sent when it is chosen, and the value is the id that the server gave it. */
export function FileField({ operation, accept, ...field }: FileFieldProps) {
  return (
    <Field {...field}>
      <FileInput operation={operation} accept={accept} />
    </Field>
  )
}

interface FileInputProps {
  id?: string
  operation: OperationId
  accept: string | undefined
  onChange?: (id: number | undefined) => void
}

function FileInput({ id, operation, accept, onChange }: FileInputProps) {
  const m = useMessages(kitMessages)
  const [sent, setSent] = useState<number>()
  const [kept, setKept] = useState<File>()
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
      setKept(file)
    } catch (error) {
      setFailure(isApiFailure(error) ? (error.errors[0]?.message ?? error.msg) : m.network)
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
      <span aria-live="polite">{kept && `${kept.name} (${byteSize(kept.size)})`}</span>
      {sent !== undefined && <Progress percent={Math.floor(sent * 100)} status="active" />}
      {failure && <Callout tone="bad" title={failure} />}
    </div>
  )
}

import { useMessages } from '@/i18n/messages'
import { FieldArea } from '@/kit/form/field-area'
import { useForm } from '@/kit/form/use-form'
import { FileField } from '@/kit/upload/file-field'
import { FileProgress, UnfinishedUpload } from '@/kit/upload/file-progress'
import type { Transfer } from '@/kit/upload/use-transfer'
import { required } from '@/rules/texts'
import { messages } from './messages'
import { begunFile, takeFile } from './samples'

const nothing = () => undefined

/** A file that is sent when it is chosen, and every stage of one on its way. */
export function Uploads() {
  const m = useMessages(messages)
  const form = useForm<Record<string, unknown>>({ defaultValues: {} })
  const { fileName: name, size, offset: sent } = begunFile()
  const stages: Transfer['stage'][] = [
    { is: 'sending', sent },
    { is: 'sending', sent, perSecond: 4_000_000 },
    { is: 'waiting', sent, why: m.failure },
    { is: 'checking' },
    { is: 'stopped', sent },
    { is: 'stopped', sent, why: m.failure },
  ]
  return (
    <>
      <FieldArea form={form} onSubmit={() => void form.validate()}>
        <FileField name="file" label={m.fields.file} sender={takeFile} rules={[required]} />
      </FieldArea>
      {stages.map((stage) => (
        <FileProgress
          key={JSON.stringify(stage)}
          transfer={{ file: { name, size }, stage }}
          onPause={nothing}
          onGoOn={nothing}
          onGiveUp={nothing}
        />
      ))}
      <UnfinishedUpload upload={begunFile()} onGiveUp={nothing} />
    </>
  )
}

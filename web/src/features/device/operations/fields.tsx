import { useMessages } from '@/i18n/messages'
import { NumberField, SwitchField, TextAreaField, TextField } from '@/kit/form/fields'
import { ReasonField } from '@/kit/form/reason-field'
import { TimeField } from '@/kit/form/time-field'
import type { Selection } from '@/kit/list/selection'
import { FileField } from '@/kit/upload/file-field'
import { integerBetween } from '@/rules/numbers'
import { lineBetween, maxChars, required } from '@/rules/texts'
import { Form } from '@/ui/form'
import { beginMessages } from './messages'
import { Preflight } from './preflight'
import type { Begin } from './spec'

/** What an operation wants to know before it begins, and what it would do. */
export default function OperationFields({ begin, selection }: { begin: Begin; selection: Selection }) {
  const m = useMessages(beginMessages)
  const form = Form.useFormInstance()
  const force = Form.useWatch('options.force', form) === true
  const wantsReason = begin.isDangerous || force
  return (
    <>
      {begin.asks.includes('script') && (
        <TextAreaField name="script" label={m.fields.script} maxLength={8000} rules={[required, maxChars(8000)]} />
      )}
      {begin.asks.includes('apk') && (
        <>
          <FileField
            name="fileId"
            label={m.fields.fileId}
            operation="operationFileUpload"
            accept=".apk"
            rules={[required]}
          />
          <TextField name="package" label={m.fields.package} hint={m.fields.packageHint} />
        </>
      )}
      {begin.asks.includes('push') && (
        <>
          <FileField name="fileId" label={m.fields.fileId} operation="operationFileUpload" rules={[required]} />
          <TextField
            name="path"
            label={m.fields.path}
            placeholder="/sdcard/Download/file.bin"
            rules={[required, maxChars(1024)]}
          />
        </>
      )}
      {begin.asks.includes('package') && (
        <TextField name="package" label={m.fields.package} placeholder="com.example.app" rules={[required]} />
      )}
      {begin.asks.includes('kbit') && (
        <NumberField name="kbit" label={m.fields.kbit} unit="kbit/s" rules={[integerBetween(8, 10_000_000)]} />
      )}
      {begin.asks.includes('property') && (
        <>
          <TextField name="name" label={m.fields.name} placeholder="persist.sys.timezone" rules={[required]} />
          <TextField name="value" label={m.fields.value} rules={[lineBetween(1, 91)]} />
        </>
      )}
      {begin.disturbs && <SwitchField name="options.force" label={m.fields.force} hint={m.fields.forceHint} />}
      <ReasonField key={String(wantsReason)} name="options.reason" optional={!wantsReason} />
      <Preflight kind={begin.kind} selection={selection as never} force={force} />
      <details className="operation-more">
        <summary>{m.options}</summary>
        <NumberField name="options.seconds" label={m.fields.seconds} unit="s" rules={[integerBetween(5, 3600)]} />
        <NumberField
          name="options.stopAtPercent"
          label={m.fields.stopAtPercent}
          unit="%"
          rules={[integerBetween(1, 100)]}
        />
        <TimeField name="options.notBefore" label={m.fields.notBefore} />
        <TimeField name="options.expiresAt" label={m.fields.expiresAt} />
      </details>
    </>
  )
}

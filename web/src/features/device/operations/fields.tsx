import { useMessages } from '@/i18n/messages'
import { ChoiceField, NumberField, SwitchField, TextAreaField, TextField } from '@/kit/form/fields'
import { ReasonField } from '@/kit/form/reason-field'
import { TimeField } from '@/kit/form/time-field'
import type { Selection } from '@/kit/list/selection'
import { FileField } from '@/kit/upload/file-field'
import { integerBetween } from '@/rules/numbers'
import { lineBetween, maxChars, required } from '@/rules/texts'
import { Form } from '@/ui/form'
import { yesNo } from '../choices'
import { useFrames, useRooms } from '../places'
import { beginMessages } from './messages'
import { Preflight } from './preflight'
import type { Begin } from './spec'

/** What an operation wants to know before it begins, and what it would do. */
export default function OperationFields({ begin, selection }: { begin: Begin; selection: Selection }) {
  const m = useMessages(beginMessages)
  const form = Form.useFormInstance()
  const force = Form.useWatch('options.force', form) === true
  const wantsReason = begin.wantsReason || force
  return (
    <>
      {begin.asks.includes('script') && (
        <TextAreaField name="script" label={m.fields.script} maxLength={8000} rules={[required, maxChars(8000)]} />
      )}
      {begin.asks.includes('apk') && (
        <FileField
          name="fileId"
          label={m.fields.fileId}
          operation="operationFileUpload"
          accept=".apk"
          rules={[required]}
          describe={({ isPackage, packageName, packageVersion }) =>
            isPackage ? `${packageName || m.namelessPackage} ${packageVersion}` : m.noPackage
          }
        />
      )}
      {begin.asks.includes('push') && (
        <>
          <FileField name="fileId" label={m.fields.fileId} operation="operationFileUpload" rules={[required]} />
          <TextField
            name="path"
            label={m.fields.path}
            placeholder="/sdcard/Download/"
            hint={m.fields.pathHint}
            rules={[required, maxChars(1024)]}
          />
        </>
      )}
      {begin.asks.includes('pull') && (
        <TextField
          name="path"
          label={m.fields.path}
          placeholder="/sdcard/Download/file.bin"
          rules={[required, maxChars(1024)]}
        />
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
      {begin.asks.includes('until') && <TimeField name="until" label={m.fields.until} />}
      {begin.asks.includes('flags') && <FlagInputs />}
      {begin.asks.includes('frame') && <FrameInputs />}
      {begin.disturbs && <SwitchField name="options.force" label={m.fields.force} hint={m.fields.forceHint} />}
      <ReasonField key={String(wantsReason)} name="options.reason" optional={!wantsReason} />
      <Preflight kind={begin.kind} selection={selection as never} force={force} />
      <details className="operation-more">
        <summary>{m.options}</summary>
        <div className="operation-options">
          {!begin.isBooks && (
            <>
              <NumberField name="options.seconds" label={m.fields.seconds} unit="s" rules={[integerBetween(5, 3600)]} />
              {(['perHost', 'perFrame', 'perRoom'] as const).map((limit) => (
                <NumberField
                  key={limit}
                  name={`options.${limit}`}
                  label={m.fields[limit]}
                  rules={[integerBetween(1, 10_000)]}
                />
              ))}
            </>
          )}
          <NumberField
            name="options.stopAtPercent"
            label={m.fields.stopAtPercent}
            unit="%"
            rules={[integerBetween(1, 100)]}
          />
          <TimeField name="options.notBefore" label={m.fields.notBefore} />
          <TimeField name="options.expiresAt" label={m.fields.expiresAt} />
        </div>
      </details>
    </>
  )
}

/** Assignable and overcommit; what is left blank stays as it is. */
function FlagInputs() {
  const m = useMessages(beginMessages)
  return (
    <>
      <ChoiceField name="assignable" label={m.fields.assignable} choices={yesNo} hint={m.keep} />
      <ChoiceField name="overcommit" label={m.fields.overcommit} choices={yesNo} hint={m.keep} />
    </>
  )
}

/** A frame of a room. The room is asked for to find the frame, and is not sent. */
function FrameInputs() {
  const m = useMessages(beginMessages)
  const room = Form.useWatch('roomId', Form.useFormInstance()) as number | undefined
  return (
    <>
      <ChoiceField name="roomId" label={m.fields.roomId} choices={useRooms().choices} rules={[required]} />
      <ChoiceField name="frameId" label={m.fields.frameId} choices={useFrames(room).choices} rules={[required]} />
    </>
  )
}

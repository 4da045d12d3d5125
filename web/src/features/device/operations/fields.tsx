import { useMessages } from '@/i18n/messages'
import { yesNo } from '@/kit/choices'
import { ChoiceField, NumberField, SwitchField, TextAreaField, TextField } from '@/kit/form/fields'
import { ReasonField } from '@/kit/form/reason-field'
import { TimeField } from '@/kit/form/time-field'
import type { Selection } from '@/kit/list/selection'
import { ReferenceField } from '@/kit/reference/reference-field'
import { FileField } from '@/kit/upload/file-field'
import { integerBetween } from '@/rules/numbers'
import { lineBetween, maxChars, required } from '@/rules/texts'
import { Form } from '@/ui/form'
import { cardFiles } from '../card-files'
import { framesOf, rooms } from '../places'
import { beginMessages } from './messages'
import { Preflight } from './preflight'
import type { Begin } from './spec'

/** The inputs of an operation before it starts, and its pre-flight. */
export default function OperationFields({ begin, selection }: { begin: Begin; selection: Selection }) {
  const m = useMessages(beginMessages)
  const form = Form.useFormInstance()
  const force = Form.useWatch('options.force', form) === true
  const wantsReason = begin.wantsReason || force
  return (
    <>
      {begin.asks.includes('script') && (
        <TextAreaField name="act.script" label={m.fields.script} maxLength={8000} rules={[required, maxChars(8000)]} />
      )}
      {begin.asks.includes('apk') && (
        <FileField
          name="act.fileId"
          label={m.fields.fileId}
          sender={cardFiles}
          accept=".apk"
          rules={[required]}
          describe={({ isPackage, packageName, packageVersion, whyNoPackage }) =>
            isPackage ? `${packageName || m.namelessPackage} ${packageVersion}` : m.noPackage(whyNoPackage)
          }
        />
      )}
      {begin.asks.includes('push') && (
        <>
          <FileField name="act.fileId" label={m.fields.fileId} sender={cardFiles} rules={[required]} />
          <TextField
            name="act.path"
            label={m.fields.path}
            placeholder="/sdcard/Download/"
            hint={m.fields.pathHint}
            rules={[required, maxChars(1024)]}
          />
        </>
      )}
      {begin.asks.includes('pull') && (
        <TextField
          name="act.path"
          label={m.fields.path}
          placeholder="/sdcard/Download/file.bin"
          rules={[required, maxChars(1024)]}
        />
      )}
      {begin.asks.includes('package') && (
        <TextField name="act.package" label={m.fields.package} placeholder="com.example.app" rules={[required]} />
      )}
      {begin.asks.includes('kbit') && (
        <NumberField name="act.kbit" label={m.fields.kbit} unit="kbit/s" rules={[integerBetween(8, 10_000_000)]} />
      )}
      {begin.asks.includes('property') && (
        <>
          <TextField name="act.name" label={m.fields.name} placeholder="persist.sys.timezone" rules={[required]} />
          <TextField name="act.value" label={m.fields.value} rules={[lineBetween(1, 91)]} />
        </>
      )}
      {begin.asks.includes('until') && <TimeField name="act.until" label={m.fields.until} />}
      {begin.asks.includes('flags') && <FlagInputs />}
      {begin.asks.includes('frame') && <FrameInputs />}
      {begin.disturbs && <SwitchField name="options.force" label={m.fields.force} hint={m.fields.forceHint} />}
      <ReasonField key={String(wantsReason)} name="options.reason" optional={!wantsReason} />
      <Preflight kind={begin.kind} selection={selection as never} force={force} />
      <details className="operation-more">
        <summary>{m.options}</summary>
        <div className="operation-options">
          {!begin.changesRecords && (
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

/** Assignable and overcommit; a blank one stays unchanged. */
function FlagInputs() {
  const m = useMessages(beginMessages)
  return (
    <>
      <ChoiceField name="act.assignable" label={m.fields.assignable} choices={yesNo} hint={m.keep} />
      <ChoiceField name="act.overcommit" label={m.fields.overcommit} choices={yesNo} hint={m.keep} />
    </>
  )
}

/** A frame of a room. The room only narrows the choice of frames and is not sent. */
function FrameInputs() {
  const m = useMessages(beginMessages)
  const room = Form.useWatch('roomId', Form.useFormInstance()) as number | undefined
  return (
    <>
      <ReferenceField
        name="roomId"
        label={m.fields.roomId}
        source={rooms}
        clears={['act.frameId']}
        rules={[required]}
      />
      <ReferenceField
        name="act.frameId"
        label={m.fields.frameId}
        source={framesOf(room)}
        waits={room === undefined}
        rules={[required]}
      />
    </>
  )
}

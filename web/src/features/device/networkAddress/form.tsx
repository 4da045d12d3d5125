import { useState } from 'react'
import type { CallParts, DataOf, RowOf } from '@/api/call'
import { call } from '@/api/call'
import { sentenceOf } from '@/api/sentence'
import { useMessages } from '@/i18n/messages'
import { NumberField, TextAreaField, TextField } from '@/kit/form/fields'
import { FormDrawer } from '@/kit/form/form-drawer'
import { useForm } from '@/kit/form/use-form'
import { useSave } from '@/kit/form/use-save'
import { ReferenceField } from '@/kit/reference/reference-field'
import { grouped } from '@/rules/format'
import { ipv4, port } from '@/rules/network'
import { line, maxChars, required } from '@/rules/texts'
import { Button } from '@/ui/button'
import { Callout } from '@/ui/callout'
import '../device.css'
import { type Flat, flatten, nest } from '../nested'
import { rooms } from '../places'
import { messages } from './messages'

type Plan = RowOf<'addressPlanList'>
type PlanInput = CallParts<'addressPlanCreate'>['body']

/** Makes an address plan, or changes one; shows card by card what it becomes. */
export default function AddressPlanForm({ plan, onClose }: { plan?: Plan; onClose: () => void }) {
  const m = useMessages(messages)
  const form = useForm<Flat>({ defaultValues: plan ? flatten(inputOf(plan)) : { 'intranet.startPort': 5555 } })
  const save = useSave<PlanInput>('addressPlan', plan?.id, { refresh: ['addressPlanList'] })
  return (
    <FormDrawer
      form={form}
      save={(values) => save(nest(values))}
      title={plan ? m.editTitle(plan.name) : m.create}
      messages={messages}
      onClose={onClose}
    >
      <ReferenceField name="roomId" source={rooms} rules={[required]} />
      <TextField name="name" rules={[required, line(64)]} />
      {(['intranet', 'extranet'] as const).map((side) => (
        <section key={side} aria-label={side === 'intranet' ? m.inside : m.outside}>
          <h3>{side === 'intranet' ? m.inside : m.outside}</h3>
          <TextField name={`${side}.startIp`} rules={[required, ipv4]} />
          <TextField name={`${side}.endIp`} rules={[ipv4]} hint={m.endHint} />
          <NumberField name={`${side}.startPort`} rules={[required, port]} />
          <NumberField name={`${side}.endPort`} rules={[port]} hint={m.endHint} />
        </section>
      ))}
      <TextAreaField name="remark" maxLength={256} rules={[maxChars(256)]} />
      <Preview values={() => nest<PlanInput>(form.instance.getFieldsValue() as Flat)} />
    </FormDrawer>
  )
}

const inputOf = ({ name, roomId, intranet, extranet, remark }: Plan) => ({ name, roomId, intranet, extranet, remark })

/** The preview of the plan, loaded on demand. */
function Preview({ values }: { values: () => PlanInput }) {
  const m = useMessages(messages)
  const [found, setFound] = useState<DataOf<'addressPlanPreview'> | string>()
  const ask = () =>
    call('addressPlanPreview', { body: values() }, { suppressNotice: true }).then(setFound, (error: unknown) =>
      setFound(sentenceOf(error)),
    )
  return (
    <section aria-label={m.preview}>
      <Button onClick={() => void ask()}>{m.preview}</Button>
      {typeof found === 'string' && <Callout tone="warn" title={found} />}
      {typeof found === 'object' && (
        <div aria-live="polite">
          <p>{m.holds(grouped(found.span))}</p>
          {found.overlaps && <Callout tone="bad" title={m.overlaps(found.overlaps.name)} />}
          {[found.first, found.last].map((pairs) => pairs[0] && <Pairs key={pairs[0].at} pairs={pairs} />)}
        </div>
      )}
    </section>
  )
}

/** Cards with their addresses, inside and outside. */
function Pairs({ pairs }: { pairs: DataOf<'addressPlanPreview'>['first'] }) {
  return (
    <ol className="device-pairs sky-mono">
      {pairs.map(({ at, intranetIp, adbPort, extranetIp, extranetPort }) => (
        <li key={at} value={at + 1}>
          {intranetIp}:{adbPort} → {extranetIp}:{extranetPort}
        </li>
      ))}
    </ol>
  )
}

import '../device.css'
import { useState } from 'react'
import type { CallParts, RowOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { NumberField, TextAreaField, TextField } from '@/kit/form/fields'
import { FormDrawer } from '@/kit/form/form-drawer'
import { SecretField } from '@/kit/form/secret-field'
import { useForm } from '@/kit/form/use-form'
import { useSave } from '@/kit/form/use-save'
import { ReferenceField } from '@/kit/reference/reference-field'
import { ipv4, port } from '@/rules/network'
import { integerBetween } from '@/rules/numbers'
import { line, maxChars, required } from '@/rules/texts'
import { Button } from '@/ui/button'
import { Form, type FormInstance } from '@/ui/form'
import { type Flat, flatten, nest } from '../nested'
import { hostsOf, rooms } from '../places'
import { messages } from './messages'

type Bmc = RowOf<'bmcList'>
type BmcInput = CallParts<'bmcCreate'>['body']

const inputOf = ({ roomId, hostId, address, port, username, ranges, remark }: Bmc) => ({
  roomId,
  hostId,
  address,
  port,
  username,
  ranges,
  remark,
})

/** Whether the form would move the BMC: the server then forgets its password and its certificate. */
function useHasMoved(form: FormInstance<Flat>, bmc?: Bmc) {
  const now = [Form.useWatch('roomId', form), Form.useWatch('address', form), Form.useWatch('port', form)] as const
  if (!bmc || now.some((value) => value === undefined)) return false
  return now[0] !== bmc.roomId || now[1] !== bmc.address || now[2] !== bmc.port
}

/** Enters a BMC, or changes one. */
export default function BmcForm({ bmc, onClose }: { bmc?: Bmc; onClose: () => void }) {
  const m = useMessages(messages)
  const form = useForm<Flat>({ defaultValues: bmc ? flatten(inputOf(bmc)) : { port: 443 } })
  const save = useSave<BmcInput>('bmc', bmc?.id, { refresh: ['bmcList'] })
  const [rows, setRows] = useState(() => Math.max(1, bmc?.ranges.length ?? 1))
  const room = Form.useWatch('roomId', form.instance) as number | undefined
  const hasMoved = useHasMoved(form.instance, bmc)

  /** Ranges that were removed on screen are no part of the body, whatever their fields still hold. */
  const bodyOf = (values: Flat) => {
    const body = nest<BmcInput>(values)
    return { ...body, ranges: (body.ranges ?? []).slice(0, rows).filter(Boolean) }
  }

  return (
    <FormDrawer
      form={form}
      save={(values) => save(bodyOf(values))}
      title={bmc ? m.editTitle(bmc.address) : m.create}
      messages={messages}
      onClose={onClose}
    >
      <ReferenceField name="roomId" source={rooms} clears={['hostId']} rules={[required]} />
      <ReferenceField name="hostId" source={hostsOf({ roomId: room })} waits={room === undefined} />
      <TextField name="address" rules={[required, ipv4]} />
      <NumberField name="port" rules={[required, port]} />
      <TextField name="username" rules={[required, line(64)]} />
      <SecretField
        key={hasMoved ? 'anew' : 'kept'}
        name="password"
        state={
          bmc && !hasMoved
            ? { isSet: bmc.password.set, fingerprint: bmc.password.fingerprint ?? null }
            : { isSet: false, fingerprint: null }
        }
      />
      {hasMoved && bmc?.password.set && <p role="status">{m.passwordGoes}</p>}
      <h3>{m.fields.ranges}</h3>
      <p className="sky-soft">{m.rangesHint}</p>
      <div className="device-rows">
        {Array.from({ length: rows }, (_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a range has no name but its place
          <div key={at} className="device-row">
            <NumberField name={`ranges[${at}].startSlot`} label={m.fields.startSlot} rules={[integerBetween(1, 256)]} />
            <NumberField name={`ranges[${at}].endSlot`} label={m.fields.endSlot} rules={[integerBetween(1, 256)]} />
            <TextField name={`ranges[${at}].startIp`} label={m.fields.startIp} rules={[ipv4]} />
            <TextField name={`ranges[${at}].endIp`} label={m.fields.endIp} rules={[ipv4]} />
          </div>
        ))}
      </div>
      <p>
        <Button onClick={() => setRows(rows + 1)}>{m.addRange}</Button>{' '}
        {rows > 0 && <Button onClick={() => setRows(rows - 1)}>{m.removeRange}</Button>}
      </p>
      <TextAreaField name="remark" maxLength={256} rules={[maxChars(256)]} />
    </FormDrawer>
  )
}

import '../device.css'
import { useState } from 'react'
import type { CallParts, RowOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { ChoiceField, NumberField, TextAreaField, TextField } from '@/kit/form/fields'
import { FormDrawer } from '@/kit/form/form-drawer'
import { SecretField } from '@/kit/form/secret-field'
import { useForm } from '@/kit/form/use-form'
import { useSave } from '@/kit/form/use-save'
import { ipv4, port } from '@/rules/network'
import { integerBetween } from '@/rules/numbers'
import { line, maxChars, required } from '@/rules/texts'
import { Button } from '@/ui/button'
import { Form } from '@/ui/form'
import { type Flat, flatten, nest } from '../nested'
import { type Places, useHosts } from '../places'
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

/** Enters a BMC, or changes one. */
export default function BmcForm({ bmc, rooms, onClose }: { bmc?: Bmc; rooms: Places; onClose: () => void }) {
  const m = useMessages(messages)
  const form = useForm<Flat>({ defaultValues: bmc ? flatten(inputOf(bmc)) : { port: 443 } })
  const save = useSave<BmcInput>('bmc', bmc?.id, { refresh: ['bmcList'] })
  const [rows, setRows] = useState(() => Math.max(1, bmc?.ranges.length ?? 1))
  const room = Form.useWatch('roomId', form.instance) as number | undefined
  const hosts = useHosts({ roomId: room })

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
      <ChoiceField name="roomId" choices={rooms.choices} rules={[required]} />
      <ChoiceField name="hostId" choices={hosts.choices} />
      <TextField name="address" rules={[required, ipv4]} />
      <NumberField name="port" rules={[required, port]} />
      <TextField name="username" rules={[required, line(64)]} />
      <SecretField
        name="password"
        state={{ isSet: bmc?.password.set ?? false, fingerprint: bmc?.password.fingerprint ?? null }}
      />
      <h3>{m.ranges}</h3>
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

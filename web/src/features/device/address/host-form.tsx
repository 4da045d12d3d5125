import { useState } from 'react'
import type { CallParts, RowOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { NumberField, TextAreaField, TextField } from '@/kit/form/fields'
import { FormDrawer } from '@/kit/form/form-drawer'
import { useForm } from '@/kit/form/use-form'
import { useSave } from '@/kit/form/use-save'
import { ReferenceField } from '@/kit/reference/reference-field'
import { ipv4 } from '@/rules/network'
import { integerBetween } from '@/rules/numbers'
import { line, maxChars, required } from '@/rules/texts'
import { Form } from '@/ui/form'
import { framesOf, rooms } from '../places'
import { hostMessages, pageMessages } from './messages'

type Host = RowOf<'hostList'>
type HostInput = CallParts<'hostCreate'>['body']
/** The room is asked only to find the frame. */
type Values = HostInput & { roomId?: number }

/** Makes a host, or changes one. */
export default function HostForm({ host, onClose }: { host?: Host; onClose: () => void }) {
  const m = useMessages(hostMessages)
  const p = useMessages(pageMessages)
  const [defaults] = useState<Partial<Values>>(() => {
    if (!host) return {}
    const { roomId, frameId, slot, name, bladeAddress, positions, remark } = host
    return { roomId, frameId, slot, name, bladeAddress: bladeAddress ?? null, positions, remark }
  })
  const form = useForm<Values>({ defaultValues: defaults })
  const save = useSave<HostInput>('host', host?.id, { refresh: ['hostList', 'hostGet', 'fleetTree'] })
  const room = Form.useWatch('roomId', form.instance)
  return (
    <FormDrawer
      form={form}
      save={({ roomId: _room, bladeAddress, ...body }) => save({ ...body, ...(bladeAddress && { bladeAddress }) })}
      title={host ? m.editTitle(host.name) : m.create}
      messages={hostMessages}
      onClose={onClose}
    >
      <ReferenceField name="roomId" source={rooms} clears={['frameId']} rules={[required]} />
      <ReferenceField name="frameId" source={framesOf(room)} waits={room === undefined} rules={[required]} />
      <NumberField name="slot" rules={[required, integerBetween(1, 256)]} />
      <TextField name="name" label={p.name} rules={[required, line(64)]} />
      <TextField name="bladeAddress" rules={[ipv4]} />
      <NumberField name="positions" rules={[required, integerBetween(1, 256)]} />
      <TextAreaField name="remark" maxLength={256} rules={[maxChars(256)]} />
    </FormDrawer>
  )
}

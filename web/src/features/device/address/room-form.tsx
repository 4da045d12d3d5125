import '../device.css'
import { useState } from 'react'
import type { CallParts, RowOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import type { Choices } from '@/kit/choices'
import { ChoiceField, NumberField, TextAreaField, TextField } from '@/kit/form/fields'
import { FormDrawer } from '@/kit/form/form-drawer'
import { useForm } from '@/kit/form/use-form'
import { useSave } from '@/kit/form/use-save'
import { downloadSpeed, integerBetween, uploadSpeed } from '@/rules/numbers'
import { line, maxChars, required } from '@/rules/texts'
import { Button } from '@/ui/button'
import { carrier } from '../choices'
import { type Flat, flatten, nest } from '../nested'
import { pageMessages, roomMessages } from './messages'

type Room = RowOf<'roomList'>
type RoomInput = CallParts<'roomCreate'>['body']

const inputOf = ({ name, city, latitude, longitude, lines, managementNets, remark, ...room }: Room) => ({
  name,
  city,
  latitude,
  longitude,
  lines,
  managementNets: managementNets.join('\n'),
  timeZone: room.timeZone,
  downloadMbit: room.downloadMbit,
  uploadMbit: room.uploadMbit,
  remark,
})

/** The zones that the browser knows; the server knows at least those. */
const zones: Choices<string> = {
  list: [
    { value: '', label: roomMessages.tree.timeZoneOfConsole },
    ...Intl.supportedValuesOf('timeZone').map((zone) => ({ value: zone, label: [zone, zone] as const })),
  ],
  find: (wanted) => zones.list.find(({ value }) => value === wanted),
}

/** Makes a room, or changes one, with the lines that lead to it. */
export default function RoomForm({ room, onClose }: { room?: Room; onClose: () => void }) {
  const m = useMessages(roomMessages)
  const p = useMessages(pageMessages)
  const form = useForm<Flat>({ defaultValues: room ? flatten(inputOf(room)) : { timeZone: '' } })
  const save = useSave<RoomInput>('room', room?.id, { refresh: ['roomList', 'fleetTree', 'fleetMap'] })
  const [rows, setRows] = useState(room?.lines.length ?? 1)
  const bodyOf = (values: Flat) => {
    const body = nest<RoomInput>(values)
    const managementNets = String(values.managementNets ?? '')
      .split(/[\s,，;；]+/)
      .filter(Boolean)
    return { ...body, managementNets, lines: (body.lines ?? []).slice(0, rows).filter(Boolean) }
  }
  return (
    <FormDrawer
      form={form}
      save={(values) => save(bodyOf(values))}
      title={room ? m.editTitle(room.name) : m.create}
      messages={roomMessages}
      onClose={onClose}
    >
      <TextField name="name" label={p.name} rules={[required, line(64)]} />
      <TextField name="city" rules={[required, line(64)]} />
      <NumberField name="latitude" unit="°" />
      <NumberField name="longitude" unit="°" />
      <h3>{m.lines}</h3>
      <div className="device-rows">
        {Array.from({ length: rows }, (_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has no name but its place while it is typed
          <div key={at} className="device-row">
            <ChoiceField name={`lines[${at}].carrier`} label={m.fields.carrier} choices={carrier} />
            <TextField name={`lines[${at}].name`} label={m.fields.line} rules={[line(64)]} />
            <NumberField
              name={`lines[${at}].mbit`}
              label={m.fields.mbit}
              unit={m.mbit}
              rules={[integerBetween(1, 1_000_000)]}
            />
            <TextField name={`lines[${at}].contact`} label={m.fields.contact} rules={[maxChars(64)]} />
          </div>
        ))}
      </div>
      <p>
        <Button onClick={() => setRows(rows + 1)}>{m.addLine}</Button>{' '}
        {rows > 0 && <Button onClick={() => setRows(rows - 1)}>{m.removeLine}</Button>}
      </p>
      <ChoiceField name="timeZone" hint={m.timeZoneHint} choices={zones} />
      <NumberField name="downloadMbit" rules={[downloadSpeed]} hint={m.downloadHint} />
      <NumberField name="uploadMbit" rules={[uploadSpeed]} hint={m.uploadHint} />
      <TextAreaField name="managementNets" hint={m.managementHint} rules={[maxChars(400)]} />
      <TextAreaField name="remark" maxLength={256} rules={[maxChars(256)]} />
    </FormDrawer>
  )
}

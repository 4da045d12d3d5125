import '../device.css'
import { useEffect, useState } from 'react'
import { type CallParts, call, type DataOf } from '@/api/call'
import { notifySuccess } from '@/api/notices'
import { useApiMutation } from '@/api/query'
import { sentenceOf } from '@/api/sentence'
import { defineMessages, useMessages } from '@/i18n/messages'
import { NumberField, TextField } from '@/kit/form/fields'
import { StepsDrawer } from '@/kit/form/steps-drawer'
import { useForm } from '@/kit/form/use-form'
import { ReferenceField } from '@/kit/reference/reference-field'
import { grouped } from '@/rules/format'
import { ipv4 } from '@/rules/network'
import { integerBetween } from '@/rules/numbers'
import { line, required } from '@/rules/texts'
import { Callout } from '@/ui/callout'
import { Form } from '@/ui/form'
import { rooms } from '../places'
import { frameMessages, pageMessages } from './messages'

type RackInput = CallParts<'rackCreate'>['body']
type Preview = DataOf<'rackPreview'>

const messages = defineMessages({
  title: ['整架新建', 'New rack'],
  what: ['机架', 'Rack'],
  check: ['确认', 'Check'],
  hosts: ['主机数', 'Hosts'],
  positions: ['每台主机卡位数', 'Positions per host'],
  bladeStart: ['首台刀片地址', 'First blade address'],
  bladeHint: (start: string) => [`建议 ${start}；留空则不设地址`, `${start} is free; leave blank for none`],
  bladeNone: ['其余主机依次递增；留空则不设地址', 'The other hosts follow; leave blank for none'],
  makes: (hosts: string, positions: string) => [
    `将新建 1 个机架、${hosts} 台主机、${positions} 个卡位`,
    `Makes 1 frame, hosts: ${hosts}, positions: ${positions}`,
  ],
  built: ['该机架已按此建好，不会重复新建', 'This rack stands already; nothing is made again'],
  nameTaken: ['该机房已有同名机架', 'The room has a frame of this name already'],
  addressTaken: (which: string) => [`刀片地址已被占用：${which}`, `Blade addresses in use already: ${which}`],
  free: (free: string) => [`地址规划中还有 ${free} 个地址可用`, `Addresses left in the room's plans: ${free}`],
  tooFew: (free: string, positions: string) => [
    `地址规划只剩 ${free} 个地址，少于 ${positions} 个卡位`,
    `The room's plans have ${free} addresses left for ${positions} positions`,
  ],
  done: (hosts: string) => [`已新建机架与 ${hosts} 台主机`, `Frame created, hosts: ${hosts}`],
})

/** Makes a frame with its hosts and their positions in one go; tells first what it makes and what is in its way. */
export default function RackForm({ room, onClose }: { room?: number; onClose: () => void }) {
  const m = useMessages(messages)
  const p = useMessages(pageMessages)
  const form = useForm<RackInput>({
    defaultValues: { hosts: 8, positions: 12, ...(room !== undefined && { roomId: room }) },
  })
  const make = useApiMutation('rackCreate', { refresh: ['frameList', 'hostList', 'fleetTree'] })
  const preview = usePreview(Form.useWatch([], form.instance) as Partial<RackInput> | undefined)
  const proposed = typeof preview === 'object' ? preview.proposedStart : undefined
  const save = async (values: RackInput) => {
    const made = await make.mutateAsync({ body: bodyOf(values) })
    notifySuccess(made.wasBuilt ? m.built : m.done(grouped(made.hostIds.length)))
  }
  return (
    <StepsDrawer
      form={form}
      save={save}
      title={m.title}
      messages={frameMessages}
      onClose={onClose}
      steps={[
        {
          key: 'what',
          title: m.what,
          fields: (
            <>
              <ReferenceField name="roomId" source={rooms} rules={[required]} />
              <TextField name="name" label={p.name} rules={[required, line(64)]} />
              <TextField name="location" rules={[line(64)]} />
              <NumberField name="hosts" label={m.hosts} rules={[required, integerBetween(1, 100)]} />
              <NumberField name="positions" label={m.positions} rules={[required, integerBetween(1, 256)]} />
              <TextField
                name="bladeStart"
                label={m.bladeStart}
                hint={proposed ? m.bladeHint(proposed) : m.bladeNone}
                rules={[ipv4]}
              />
            </>
          ),
        },
        { key: 'check', title: m.check, fields: <Check preview={preview} /> },
      ]}
    />
  )
}

/** What stands in a blank field is not sent. */
function bodyOf({ roomId, name, location, hosts, positions, bladeStart }: RackInput): RackInput {
  return { roomId, name, hosts, positions, ...(location && { location }), ...(bladeStart && { bladeStart }) }
}

/** What the server says of the values as they stand, once typing rests. */
function usePreview(values: Partial<RackInput> | undefined): Preview | string | undefined {
  const [found, setFound] = useState<Preview | string>()
  const { roomId, name, hosts, positions } = values ?? {}
  const asked = roomId && name && hosts && positions ? JSON.stringify(bodyOf(values as RackInput)) : undefined
  // The server is outside React; an answer to older values is dropped.
  useEffect(() => {
    if (!asked) return
    let isCurrent = true
    const tell = (answer: Preview | string) => isCurrent && setFound(answer)
    const timer = setTimeout(() => {
      call('rackPreview', { body: JSON.parse(asked) as RackInput }, { suppressNotice: true }).then(
        tell,
        (error: unknown) => tell(sentenceOf(error)),
      )
    }, 250)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [asked])
  return found
}

function Check({ preview }: { preview: Preview | string | undefined }) {
  const m = useMessages(messages)
  if (preview === undefined) return null
  if (typeof preview === 'string') return <Callout tone="warn" title={preview} />
  const { hosts, positions, freeAddresses: free, takenAddresses } = preview
  const isShort = typeof free === 'number' && free < positions
  return (
    <div aria-live="polite">
      {preview.isBuilt ? (
        <Callout tone="info" title={m.built} />
      ) : (
        <p>{m.makes(grouped(hosts.length), grouped(positions))}</p>
      )}
      {preview.isNameTaken && <Callout tone="bad" title={m.nameTaken} />}
      {takenAddresses.length > 0 && <Callout tone="bad" title={m.addressTaken(takenAddresses.join('、'))} />}
      {typeof free === 'number' && (
        <Callout
          tone={isShort ? 'warn' : 'info'}
          title={isShort ? m.tooFew(grouped(free), grouped(positions)) : m.free(grouped(free))}
        />
      )}
      <ol className="device-pairs sky-mono">
        {hosts.map(({ slot, name, bladeAddress }) => (
          <li key={slot}>
            {name} {bladeAddress ?? ''}
          </li>
        ))}
      </ol>
    </div>
  )
}

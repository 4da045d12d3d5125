import '../device.css'
import { useState } from 'react'
import type { CallParts } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { CopyButton } from '@/kit/copy-button'
import { NumberField } from '@/kit/form/fields'
import { FormDialog } from '@/kit/form/form-dialog'
import { useForm } from '@/kit/form/use-form'
import { Labels } from '@/kit/labels'
import { ReferenceField } from '@/kit/reference/reference-field'
import { integerBetween } from '@/rules/numbers'
import { required } from '@/rules/texts'
import { Button } from '@/ui/button'
import { Callout } from '@/ui/callout'
import { Modal } from '@/ui/modal'
import { rooms } from '../places'
import { tokenMessages } from './messages'

type Input = CallParts<'joinTokenCreate'>['body']

/** Issues a join token, and shows it this once with the command that uses it. */
export default function TokenForm({ onClose }: { onClose: () => void }) {
  const m = useMessages(tokenMessages)
  const form = useForm<Input>({ defaultValues: { hours: 24 } })
  const make = useApiMutation('joinTokenCreate', { refresh: ['joinTokenList'] })
  const [token, setToken] = useState<string>()
  if (token !== undefined) return <Made token={token} onClose={onClose} />
  return (
    <Labels messages={tokenMessages}>
      <FormDialog
        form={form}
        save={async (body) => setToken((await make.mutateAsync({ body })).token)}
        title={m.create}
        okText={m.create}
        hasFields
        onClose={onClose}
      >
        <ReferenceField name="roomId" source={rooms} rules={[required]} />
        <NumberField name="hours" unit={m.hours} rules={[required, integerBetween(1, 720)]} />
      </FormDialog>
    </Labels>
  )
}

function Made({ token, onClose }: { token: string; onClose: () => void }) {
  const m = useMessages(tokenMessages)
  // An agent connects to another machine without TLS only if told to.
  const insecure = window.isSecureContext ? '' : ' --insecure-http'
  const command = `skyrack agent --console ${window.location.origin} --token ${token}${insecure}`
  return (
    <Modal
      open
      title={m.create}
      closable={false}
      mask={{ closable: false }}
      footer={
        <Button type="primary" onClick={onClose}>
          {m.close}
        </Button>
      }
    >
      <Callout tone="warn" title={m.made} />
      <p>{m.run}</p>
      <code className="device-token">{command}</code>
      <p>
        <CopyButton text={command} />
      </p>
    </Modal>
  )
}

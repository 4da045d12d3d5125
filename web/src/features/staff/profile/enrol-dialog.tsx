import { useState } from 'react'
import type { DataOf } from '@/api/call'
import { encryptPassword } from '@/api/password'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { CopyButton } from '@/kit/copy-button'
import { FieldArea } from '@/kit/form/field-area'
import { PasswordField, TextField } from '@/kit/form/fields'
import { useSubmit } from '@/kit/form/form-drawer'
import { useForm } from '@/kit/form/use-form'
import { Labels } from '@/kit/labels'
import { kitMessages } from '@/kit/messages'
import { required } from '@/rules/texts'
import { Callout } from '@/ui/callout'
import { Modal } from '@/ui/modal'
import CodesDialog from './codes-dialog'
import { useFreshness } from './freshness'
import { enrolMessages } from './messages'

type Enrolment = DataOf<'secondFactorEnrol'>

/** Turns the second factor on: the seed as a QR code, a first code to prove that it arrived, then the recovery codes. */
export default function EnrolDialog({ username, onClose }: { username: string; onClose: () => void }) {
  const [enrolment, setEnrolment] = useState<Enrolment>()
  const [codes, setCodes] = useState<readonly string[]>()
  if (codes) return <CodesDialog codes={codes} username={username} onClose={onClose} />
  if (enrolment) return <Scan enrolment={enrolment} onConfirmed={setCodes} onClose={onClose} />
  return <Begin onEnrolled={setEnrolment} onClose={onClose} />
}

function Begin({ onEnrolled, onClose }: { onEnrolled: (enrolment: Enrolment) => void; onClose: () => void }) {
  const m = useMessages(enrolMessages)
  const k = useMessages(kitMessages)
  const form = useForm<{ password?: string }>({ defaultValues: {} })
  const fresh = useFreshness()
  const enrol = useApiMutation('secondFactorEnrol', { refresh: ['ownActList'], suppressNotice: true })
  const { isBusy, submit } = useSubmit(
    form,
    fresh.watch(async ({ password }) => {
      const proof = password ? { password: await encryptPassword(password) } : {}
      onEnrolled(await enrol.mutateAsync({ body: proof }))
    }),
    () => undefined,
  )
  return (
    <Modal
      open
      centered
      width={440}
      title={m.title}
      okText={m.next}
      cancelText={k.cancel}
      confirmLoading={isBusy}
      mask={{ closable: false }}
      onOk={submit}
      onCancel={onClose}
    >
      <p>{m.beginText}</p>
      <Labels messages={enrolMessages}>
        <FieldArea form={form} onSubmit={submit}>
          {fresh.needsPassword && <PasswordField name="password" rules={[required]} autoComplete="current-password" />}
        </FieldArea>
      </Labels>
      <Callout tone="info" title={m.beginWarn} />
    </Modal>
  )
}

interface ScanProps {
  enrolment: Enrolment
  onConfirmed: (codes: readonly string[]) => void
  onClose: () => void
}

function Scan({ enrolment, onConfirmed, onClose }: ScanProps) {
  const m = useMessages(enrolMessages)
  const k = useMessages(kitMessages)
  const form = useForm<{ code: string }>({ defaultValues: {} })
  const confirm = useApiMutation('secondFactorConfirm', {
    refresh: ['secondFactorGet', 'ownSessionList', 'ownActList', 'ownProfileGet'],
    suppressNotice: true,
  })
  const save = async (body: { code: string }) => onConfirmed((await confirm.mutateAsync({ body })).recoveryCodes)
  const { isBusy, submit } = useSubmit(form, save, () => undefined)
  return (
    <Modal
      open
      centered
      width={440}
      title={m.title}
      okText={m.turnOn}
      cancelText={k.cancel}
      confirmLoading={isBusy}
      mask={{ closable: false }}
      onOk={submit}
      onCancel={onClose}
    >
      <p>{m.scanText}</p>
      <img className="own-qr" src={enrolment.qr} alt={m.qr} />
      <p className="sky-soft">{m.cannotScan}</p>
      <p className="own-secret">
        <span className="sky-mono">{enrolment.secret.replace(/(.{4})(?=.)/g, '$1 ')}</span>
        <CopyButton text={enrolment.secret} />
      </p>
      <Labels messages={enrolMessages}>
        <FieldArea form={form} onSubmit={submit}>
          <TextField name="code" rules={[required]} hint={m.codeHint} maxLength={6} autoComplete="one-time-code" />
        </FieldArea>
      </Labels>
    </Modal>
  )
}

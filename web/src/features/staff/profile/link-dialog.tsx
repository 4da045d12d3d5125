import { useEffect, useRef, useState } from 'react'
import { awaitHandover } from '@/access/handover'
import type { DataOf } from '@/api/call'
import { encryptPassword } from '@/api/password'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { choicesOf } from '@/kit/choices'
import { FieldArea } from '@/kit/form/field-area'
import { ChoiceField, PasswordField } from '@/kit/form/fields'
import { useSubmit } from '@/kit/form/form-drawer'
import { useForm } from '@/kit/form/use-form'
import { Labels } from '@/kit/labels'
import { kitMessages } from '@/kit/messages'
import { required } from '@/rules/texts'
import { Callout } from '@/ui/callout'
import { Modal } from '@/ui/modal'
import { useFreshness } from './freshness'
import { linkMessages } from './messages'

interface LinkDialogProps {
  providers: DataOf<'openidProviderList'>
  onLinked: () => void
  onClose: () => void
}

interface Wanted {
  provider: string
  password?: string
}

/** Opens the provider's window, in which the person proves the account, and waits for what comes back. */
export default function LinkDialog({ providers, onLinked, onClose }: LinkDialogProps) {
  const m = useMessages(linkMessages)
  const k = useMessages(kitMessages)
  const form = useForm<Wanted>({ defaultValues: { provider: providers[0]?.id ?? '' } })
  const fresh = useFreshness()
  const start = useApiMutation('openidLinkStart', { suppressNotice: true })
  const [waitingFor, setWaitingFor] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const stop = useRef<() => void>(undefined)

  // A dialog that is gone links nothing.
  useEffect(() => () => stop.current?.(), [])

  const open = fresh.watch(async ({ provider, password }: Wanted) => {
    stop.current?.()
    setWaitingFor(undefined)
    setProblem(undefined)
    // Opened before the server is asked: a window that does not follow at once upon a click is blocked.
    const popup = window.open('', 'skyrack-link', 'popup,width=520,height=680')
    if (!popup) return setProblem(m.popupBlocked)
    try {
      const proof = password ? { password: await encryptPassword(password) } : {}
      const { url } = await start.mutateAsync({ body: { providerId: provider, ...proof } })
      stop.current = awaitHandover(popup, 'linked', (answer) => {
        stop.current?.()
        setWaitingFor(undefined)
        if (answer.kind === 'linked') onLinked()
        else setProblem(answer.error || m.failed)
      })
      setWaitingFor(providers.find(({ id }) => id === provider)?.name ?? provider)
      popup.location.href = url
    } catch (error) {
      popup.close()
      throw error
    }
  })
  const { isBusy, submit } = useSubmit(form, open, () => undefined)
  const choices = choicesOf(providers.map(({ id, name }) => [id, name] as const))

  return (
    <Modal
      open
      centered
      width={440}
      title={m.title}
      okText={m.open}
      cancelText={k.cancel}
      confirmLoading={isBusy}
      mask={{ closable: false }}
      onOk={submit}
      onCancel={onClose}
    >
      <p>{m.text}</p>
      <Labels messages={linkMessages}>
        <FieldArea form={form} onSubmit={submit}>
          <ChoiceField name="provider" choices={choices} rules={[required]} />
          {fresh.needsPassword && <PasswordField name="password" rules={[required]} autoComplete="current-password" />}
        </FieldArea>
      </Labels>
      {problem && <Callout tone="bad" title={problem} />}
      {waitingFor && <Callout tone="busy" title={m.waiting(waitingFor)} />}
    </Modal>
  )
}

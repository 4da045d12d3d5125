import { useEffect, useRef, useState } from 'react'
import { awaitHandover } from '@/access/handover'
import { handoverMessages } from '@/access/handover-messages'
import type { DataOf } from '@/api/call'
import { encryptPassword } from '@/api/password'
import { useApiMutation } from '@/api/query'
import { textsOf, useMessages } from '@/i18n/messages'
import { choicesOf } from '@/kit/choices'
import { ChoiceField, PasswordField } from '@/kit/form/fields'
import { FormDialog } from '@/kit/form/form-dialog'
import { useForm } from '@/kit/form/use-form'
import { required } from '@/rules/texts'
import { Callout } from '@/ui/callout'
import { linkMessages } from './messages'

interface LinkDialogProps {
  providers: DataOf<'openidProviderList'>
  onLinked: () => void
  onClose: () => void
}

interface Wanted {
  provider: string
  password: string
}

/** Opens the provider's window, in which the person proves the account, and waits for what comes back. */
export default function LinkDialog({ providers, onLinked, onClose }: LinkDialogProps) {
  const m = useMessages(linkMessages)
  const form = useForm<Wanted>({ defaultValues: { provider: providers[0]?.id ?? '' } })
  const start = useApiMutation('openidLinkStart', { suppressNotice: true })
  const [waitingFor, setWaitingFor] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const stop = useRef<() => void>(undefined)

  // A dialog that is gone links nothing.
  useEffect(() => () => stop.current?.(), [])

  const open = async ({ provider, password }: Wanted) => {
    stop.current?.()
    setWaitingFor(undefined)
    setProblem(undefined)
    // Opened before the server is asked: a window that does not follow at once upon a click is blocked.
    const popup = window.open('', 'skyrack-link', 'popup,width=520,height=680')
    if (!popup) return setProblem(m.popupBlocked)
    try {
      const proof = await encryptPassword(password)
      const { url } = await start.mutateAsync({ body: { providerId: provider, password: proof } })
      stop.current = awaitHandover(popup, 'linked', (answer) => {
        stop.current?.()
        setWaitingFor(undefined)
        if (answer.kind === 'linked') onLinked()
        else setProblem(textsOf(handoverMessages)[answer.error])
      })
      setWaitingFor(providers.find(({ id }) => id === provider)?.name ?? provider)
      popup.location.href = url
    } catch (error) {
      popup.close()
      throw error
    }
  }
  const choices = choicesOf(providers.map(({ id, name }) => [id, name] as const))

  return (
    <FormDialog form={form} save={open} title={m.title} okText={m.open} onClose={onClose}>
      <p>{m.text}</p>
      <ChoiceField name="provider" label={m.fields.provider} choices={choices} rules={[required]} />
      <PasswordField name="password" label={m.fields.password} rules={[required]} autoComplete="current-password" />
      {problem && <Callout tone="bad" title={problem} />}
      {waitingFor && <Callout tone="busy" title={m.waiting(waitingFor)} />}
    </FormDialog>
  )
}

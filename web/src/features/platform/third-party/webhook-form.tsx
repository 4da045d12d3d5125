import type { CallParts, DataOf } from '@/api/call'
import { notifySuccess } from '@/api/notices'
import { useApiMutation } from '@/api/query'
import { textsOf, useMessages } from '@/i18n/messages'
import { ChoicesField, SwitchField, TextField } from '@/kit/form/fields'
import { FormDrawer } from '@/kit/form/form-drawer'
import { useForm } from '@/kit/form/use-form'
import { kitMessages } from '@/kit/messages'
import { maxChars } from '@/rules/texts'
import { chosenEvent } from '../choices'
import { hookMessages } from './messages'
import type { Hook } from './webhook'

type Input = CallParts<'openHookUpdate'>['body']

const allEvents = chosenEvent.list.map(({ value }) => value)

interface WebhookFormProps {
  app: Pick<DataOf<'openAppGet'>, 'id' | 'name'>
  hook: Hook
  onClose: () => void
}

/** Says where an application is told what happens, and of what. */
export default function WebhookForm({ app, hook, onClose }: WebhookFormProps) {
  const m = useMessages(hookMessages)
  const { url, events, enabled } = hook
  const form = useForm<Input>({ defaultValues: { url, events: url ? events : allEvents, enabled } })
  const update = useApiMutation('openHookUpdate', { refresh: ['openHookGet'] })
  const save = async (body: Input) => {
    await update.mutateAsync({ path: { id: app.id }, body })
    notifySuccess(textsOf(kitMessages).saved)
  }
  return (
    <FormDrawer form={form} save={save} title={m.editTitle(app.name)} messages={hookMessages} onClose={onClose}>
      <SwitchField name="enabled" />
      <TextField name="url" rules={[maxChars(512)]} maxLength={512} hint={m.urlHint} />
      <ChoicesField name="events" choices={chosenEvent} hint={m.eventsHint} />
    </FormDrawer>
  )
}

import type { CallParts, RowOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { ChoiceField, TextField } from '@/kit/form/fields'
import { FormDrawer } from '@/kit/form/form-drawer'
import { useForm } from '@/kit/form/use-form'
import { useSave } from '@/kit/form/use-save'
import { line, required } from '@/rules/texts'
import { messages } from './messages'
import { everyPlan, forbiddenPlan } from './plans'

type App = RowOf<'forbiddenAppList'>
type Input = CallParts<'forbiddenAppCreate'>['body']
type Values = Omit<Input, 'plan'> & { plan: number }

/** Forbids an app, or changes what is forbidden. */
export default function ForbiddenAppForm({ app, onClose }: { app?: App; onClose: () => void }) {
  const m = useMessages(messages)
  const defaultValues = app
    ? { name: app.name, package: app.package, plan: app.plan ?? everyPlan }
    : { plan: everyPlan }
  const form = useForm<Values>({ defaultValues })
  const send = useSave<Input>('forbiddenApp', app?.id, { refresh: ['forbiddenAppList'] })
  const save = ({ plan, ...rest }: Values) =>
    send({ ...rest, ...(plan !== everyPlan && { plan: plan as NonNullable<Input['plan']> }) })
  return (
    <FormDrawer
      form={form}
      save={save}
      title={app ? m.editTitle(app.name) : m.create}
      messages={messages}
      onClose={onClose}
    >
      <TextField name="name" rules={[required, line(48)]} maxLength={48} />
      <TextField name="package" rules={[required, line(128)]} maxLength={128} hint={m.packageHint} />
      <ChoiceField name="plan" choices={forbiddenPlan} />
    </FormDrawer>
  )
}

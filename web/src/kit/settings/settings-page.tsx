import { type ReactNode, useState } from 'react'
import { useCan } from '@/access/permissions'
import { useScreenTitle } from '@/access/titles'
import type { CallParts, OperationId } from '@/api/call'
import type { Code } from '@/api/codes'
import { notifySuccess } from '@/api/notices'
import { useApiMutation, useApiQuery } from '@/api/query'
import { type Messages, type Pair, useMessages } from '@/i18n/messages'
import { formatDateTime } from '@/rules/format'
import { Button } from '@/ui/button'
import { FieldArea } from '../form/field-area'
import { useSubmit } from '../form/form-drawer'
import type { SecretState } from '../form/secret-field'
import { useForm } from '../form/use-form'
import { useLeaveQuestion } from '../form/use-leave-question'
import { type FieldTexts, Labels } from '../labels'
import { Loaded, type Loading } from '../loaded'
import { kitMessages } from '../messages'
import { SettingsHistory } from './settings-history'
import { settingsMessages } from './settings-messages'

/** Settings documents: `signInSetting` has `signInSettingGet`, `...Update` and `...History`. */
export type SettingsName = { [K in OperationId]: K extends `${infer N}History` ? N : never }[OperationId]

/** A document as the server shows it: its own fields, and these. */
interface SettingsView extends Record<string, unknown> {
  version: number
  updatedAt?: string | null
  updatedBy?: string | null
  secrets?: Record<string, SecretState>
}

interface SettingsPageProps {
  document: SettingsName
  messages: Messages<FieldTexts & { readonly hint: Pair }>
  /** What it is called where it is a part of a screen; else it is called like the screen. */
  title?: string
  /** The code to change it; without it the document is shown and cannot be changed. */
  need: Code
  /** The fields; given what is known of the secrets. */
  children: (secrets: Record<string, SecretState>) => ReactNode
}

/** The shell of a settings document: one form, who changed it last, and its history. */
export function SettingsPage(props: SettingsPageProps) {
  const query = useApiQuery(`${props.document}Get` as OperationId, {} as CallParts<OperationId>)
  return (
    <Loaded query={query as Loading<SettingsView>}>
      {(view) => <SettingsForm key={view.version} view={view} {...props} />}
    </Loaded>
  )
}

function SettingsForm(props: SettingsPageProps & { view: SettingsView }) {
  const { view, document, messages, need, children } = props
  const m = useMessages(settingsMessages)
  const k = useMessages(kitMessages)
  const own = useMessages(messages)
  const ofScreen = useScreenTitle()
  const title = props.title ?? ofScreen
  const mayChange = useCan()(need)
  const [isHistory, setHistory] = useState(false)
  const { version, updatedAt, updatedBy, secrets = {}, ...fields } = view
  const refresh = [`${document}Get`, `${document}History`] as OperationId[]
  const update = useApiMutation(`${document}Update` as OperationId, { refresh })
  const form = useForm<Record<string, unknown>>({ defaultValues: fields })
  const { isBusy, submit } = useSubmit(form, save, () => notifySuccess(k.saved))
  const { question } = useLeaveQuestion(form.isDirty)

  /** The document goes whole; a secret goes only when it was replaced. */
  async function save(values: Record<string, unknown>) {
    const entries = Object.entries({ ...fields, ...values })
    const body = {
      ...Object.fromEntries(entries.filter(([name]) => !(name in secrets))),
      secrets: Object.fromEntries(entries.filter(([name, value]) => name in secrets && value !== undefined)),
      version,
    }
    await update.mutateAsync({ body } as unknown as CallParts<OperationId>)
  }

  return (
    <Labels messages={messages}>
      <section className="kit-settings" aria-label={title}>
        <header>
          <div>
            <h2>{title}</h2>
            <p className="sky-soft">{own.hint}</p>
          </div>
          <Button onClick={() => setHistory(true)}>{m.history}</Button>
        </header>
        <FieldArea form={form} onSubmit={submit} disabled={isBusy || !mayChange}>
          {children(secrets)}
        </FieldArea>
        <footer>
          {mayChange && (
            <>
              <Button type="primary" loading={isBusy} onClick={submit}>
                {m.save}
              </Button>
              <Button disabled={isBusy} onClick={() => form.instance.resetFields()}>
                {m.undo}
              </Button>
            </>
          )}
          <span className="sky-soft">
            {updatedAt ? m.savedBy(updatedBy ?? '—', formatDateTime(new Date(updatedAt))) : m.never}
          </span>
        </footer>
      </section>
      {question}
      {isHistory && <SettingsHistory document={document} onClose={() => setHistory(false)} />}
    </Labels>
  )
}

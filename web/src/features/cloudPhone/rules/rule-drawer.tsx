import './rules.css'
import { lazy, Suspense, useState } from 'react'
import { useCan } from '@/access/permissions'
import { notifySuccess } from '@/api/notices'
import { useApiMutation, useApiQuery } from '@/api/query'
import { numbers } from '@/api/words/RuleValues'
import { useLanguage } from '@/i18n/language'
import { inLanguage, useMessages } from '@/i18n/messages'
import { type Choices, defineChoices } from '@/kit/choices'
import { ChoiceField, NumberField, TextField } from '@/kit/form/fields'
import { FormDrawer } from '@/kit/form/form-drawer'
import { useForm } from '@/kit/form/use-form'
import { Loaded } from '@/kit/loaded'
import { kitMessages } from '@/kit/messages'
import { grouped } from '@/rules/format'
import { integerBetween } from '@/rules/numbers'
import { required } from '@/rules/texts'
import { dayTime } from '@/rules/times'
import { Button } from '@/ui/button'
import { Callout } from '@/ui/callout'
import { Drawer } from '@/ui/drawer'
import { Form } from '@/ui/form'
import { yearCard } from '../choices'
import {
  type Fields,
  fieldOf,
  inheritValue,
  night,
  nightField,
  nightFrom,
  nightTo,
  toFields,
  toValues,
} from './form-values'
import { messages } from './messages'
import {
  inheritedText,
  isNumber,
  type Key,
  keys,
  type RuleView,
  refresh,
  scopeText,
  type Target,
  valueText,
} from './values'

const HistoryDrawer = lazy(() => import('./history-drawer'))

interface Props {
  target: Target
  onClose: () => void
}

const { inherit, open, closed } = messages.tree

const nights = defineChoices({
  inherit: { value: night.inherit, label: inherit },
  open: { value: night.open, label: open },
  closed: { value: night.closed, label: closed },
})

const yearCards: Choices = {
  list: [{ value: inheritValue, label: inherit }, ...yearCard.list],
  find: (value) => yearCards.list.find((one) => one.value === value),
}

/** The rules in the order of the form. */
const groups = [
  ['offTitle', ['idleMinutes', 'dailyHours', 'longestSession', 'nightClose', 'yearCardOffline']],
  ['queueTitle', ['queueMax', 'queueWait', 'reconnectGrace', 'head']],
  ['expiryTitle', ['expiryNotice', 'releaseGrace']],
] as const

/** The rules of somebody: a form for who may change them, and what they are for the others. */
export default function RuleDrawer({ target, onClose }: Props) {
  const m = useMessages(messages)
  const mayChange = useCan()('phoneRule:update')
  const query = useApiQuery('phoneRuleGet', { query: target }, { suppressNotice: true, staleTime: 0 })
  // A form of what was read a while ago would be refused when it is saved.
  const fresh = mayChange && query.isFetchedAfterMount ? query.data : undefined
  if (fresh) return <RuleForm target={target} view={fresh} onClose={onClose} />
  return (
    <Drawer open size={480} title={m.fields.rule} onClose={onClose}>
      <Loaded query={mayChange ? { ...query, data: fresh } : query}>{(view) => <RuleFacts view={view} />}</Loaded>
    </Drawer>
  )
}

function RuleFacts({ view }: { view: RuleView }) {
  const m = useMessages(messages)
  const language = useLanguage()
  const own = keys.filter((key) => valueText(view.own, key, language) !== undefined)
  return (
    <>
      <h3>{scopeText(view.of, language)}</h3>
      {own.length === 0 && <p className="sky-soft">{m.none}</p>}
      <ul>
        {own.map((key) => (
          <li key={key}>
            {m.fields[key]}: {valueText(view.own, key, language)}
          </li>
        ))}
      </ul>
    </>
  )
}

function RuleForm({ target, view: found, onClose }: Props & { view: RuleView }) {
  // What somebody else saves meanwhile does not take away what is being typed: its version tells when this is saved.
  const [view] = useState(found)
  const m = useMessages(messages)
  const k = useMessages(kitMessages)
  const name = scopeText(view.of, useLanguage())
  const form = useForm<Fields>({ defaultValues: toFields(view.own) })
  const update = useApiMutation('phoneRuleUpdate', { refresh, suppressNotice: true })
  const [isHistory, setHistory] = useState(false)
  const bodyOf = (fields: Fields) => ({ ...target, version: view.version, values: toValues(fields) }) as RuleBody
  const save = async (fields: Fields) => {
    await update.mutateAsync({ body: bodyOf(fields) })
    notifySuccess(k.saved)
  }
  return (
    <FormDrawer form={form} save={save} title={m.title(name)} messages={messages} onClose={onClose}>
      <p className="kit-tools">
        <Button onClick={() => setHistory(true)}>{m.history}</Button>
      </p>
      {groups.map(([title, names]) => (
        <section key={title} className="rule-group" aria-label={m[title]}>
          <h3>{m[title]}</h3>
          {names.map((key) => (
            <RuleField key={key} name={key} view={view} />
          ))}
        </section>
      ))}
      <Preview bodyOf={bodyOf} />
      <Suspense>
        {isHistory && <HistoryDrawer target={target} name={name} onClose={() => setHistory(false)} />}
      </Suspense>
    </FormDrawer>
  )
}

type RuleBody = Parameters<ReturnType<typeof useApiMutation<'phoneRuleUpdate'>>['mutateAsync']>[0]['body']

/** The field of a rule. It says what holds if it is left alone. */
function RuleField({ name, view }: { name: Key; view: RuleView }) {
  const m = useMessages(messages)
  const language = useLanguage()
  const { text, from } = inheritedText(view, name, language)
  if (name === 'nightClose') return <NightField hint={m.inherits(text, from)} />
  if (!isNumber(name))
    return <ChoiceField name={fieldOf(name)} label={m.fields[name]} choices={yearCards} hint={m.inherits(text, from)} />
  const { min, max, unit } = numbers[name]
  const hint = m.emptyInherits(text, from)
  return (
    <NumberField
      name={fieldOf(name)}
      label={m.fields[name]}
      rules={[integerBetween(min, max)]}
      unit={inLanguage(unit, language)}
      hint={name === 'idleMinutes' ? `${hint} · ${m.idleHint}` : hint}
    />
  )
}

function NightField({ hint }: { hint: string }) {
  const m = useMessages(messages)
  const form = Form.useFormInstance()
  const isClosed = Form.useWatch(nightField, form) === night.closed
  return (
    <>
      <ChoiceField name={nightField} label={m.fields.night} choices={nights} hint={hint} />
      {isClosed && (
        <div className="rule-night">
          <TextField name={nightFrom} label={m.fields.nightFrom} rules={[required, dayTime]} placeholder="23:00" />
          <TextField
            name={nightTo}
            label={m.fields.nightTo}
            rules={[required, dayTime]}
            placeholder="06:00"
            hint={m.nightHint}
          />
        </div>
      )}
    </>
  )
}

/** How many phones the values in the form would take off now, and for how many they are others. What was counted for others is not shown. */
function Preview({ bodyOf }: { bodyOf: (fields: Fields) => RuleBody }) {
  const m = useMessages(messages)
  const form = Form.useFormInstance<Fields>()
  const now = Form.useWatch((fields: Fields) => JSON.stringify(toValues(fields)), form)
  const count = useApiMutation('phoneRulePreview')
  const [asked, setAsked] = useState<string>()
  const look = async () => {
    const isValid = await form.validateFields().then(
      () => true,
      () => false,
    )
    if (!isValid) return
    setAsked(now)
    // Why there is no number is told by the call.
    await count.mutateAsync({ body: bodyOf(form.getFieldsValue()) }).catch(() => undefined)
  }
  const found = asked === now && !count.isPending ? count.data : undefined
  return (
    <div className="rule-preview">
      <span className="kit-tools">
        <Button loading={count.isPending} onClick={() => void look()}>
          {m.preview}
        </Button>
        <span className="sky-soft">{m.previewHint}</span>
      </span>
      {found && (
        <Callout
          tone={found.leave > 0 ? 'warn' : 'info'}
          title={found.leave > 0 ? m.leaves(grouped(found.leave), grouped(found.inUse)) : m.leavesNobody}
        >
          {found.guaranteed > 0 && <p>{m.guaranteed(grouped(found.guaranteed))}</p>}
          <p>{found.phones > 0 ? m.reaches(grouped(found.phones), grouped(found.on)) : m.reachesNobody}</p>
        </Callout>
      )}
    </div>
  )
}

import { type ReactNode, useEffect } from 'react'
import { useMessages } from '@/i18n/messages'
import { FieldArea } from '@/kit/form/field-area'
import {
  ChoiceField,
  ChoicesField,
  NumberField,
  PasswordField,
  SwitchField,
  TextAreaField,
  TextField,
} from '@/kit/form/fields'
import { KeyValueField } from '@/kit/form/key-value-field'
import { MoneyField } from '@/kit/form/money-field'
import { SecretField } from '@/kit/form/secret-field'
import { TimeField } from '@/kit/form/time-field'
import { TimeRangeField } from '@/kit/form/time-range-field'
import { useForm } from '@/kit/form/use-form'
import { ImageField, ImagesField } from '@/kit/image/image-field'
import { ReferenceField, ReferencesField } from '@/kit/reference/reference-field'
import { RichTextField } from '@/kit/rich-text/rich-text-field'
import { taskState } from '@/kit/task/task-messages'
import { phone } from '@/rules/contact'
import { port } from '@/rules/network'
import { required } from '@/rules/texts'
import { inFuture } from '@/rules/times'
import { messages } from './messages'
import { brokenRooms, goneRoom, noRooms, pictures, rooms, sendPicture, slowRooms } from './samples'

/** A field under a name, and what it holds when it is filled and when it is wrong. */
interface Exhibit {
  key: keyof typeof messages.tree.fields
  field: (name: string, label: string) => ReactNode
  filled: unknown
  wrong?: unknown
}

const states = ['empty', 'filled', 'wrong'] as const
type State = (typeof states)[number] | 'disabled'

/** Form values by name; a span has two. */
const valuesOf = (name: string, value: unknown): Record<string, unknown> =>
  Array.isArray(value) && name.startsWith('period')
    ? { [`${name}From`]: value[0], [`${name}To`]: value[1] }
    : { [name]: value }

/** Fields in every state: two forms, because only a whole form is disabled. */
function FieldStates({ exhibits }: { exhibits: readonly Exhibit[] }) {
  const m = useMessages(messages)
  const name = (key: string, state: State) => `${key}-${state}`
  const values = exhibits.map(({ key, filled, wrong }) => ({
    ...valuesOf(name(key, 'filled'), filled),
    ...valuesOf(name(key, 'wrong'), wrong),
  }))
  const form = useForm<Record<string, unknown>>({ defaultValues: Object.assign({}, ...values) })
  const off = useForm<Record<string, unknown>>({
    defaultValues: Object.assign({}, ...exhibits.map((one) => valuesOf(name(one.key, 'disabled'), one.filled))),
  })
  const { instance } = form
  // What is wrong says so from the beginning.
  useEffect(() => {
    const all = Object.keys(instance.getFieldsValue()).filter((each) => each.includes('-wrong'))
    instance.validateFields(all).catch(() => undefined)
  }, [instance])
  const cell = (one: Exhibit, state: State) => (
    <div key={one.key}>{one.field(name(one.key, state), `${m.fields[one.key]} · ${m.states[state]}`)}</div>
  )
  return (
    <div className="preview-fields">
      <FieldArea form={form} onSubmit={() => void form.validate()}>
        <div className="preview-states">
          {exhibits.flatMap((one) => states.map((state) => <div key={`${one.key}${state}`}>{cell(one, state)}</div>))}
        </div>
      </FieldArea>
      <FieldArea form={off} disabled onSubmit={() => undefined}>
        {exhibits.map((one) => cell(one, 'disabled'))}
      </FieldArea>
    </div>
  )
}

const later = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const need = { rules: [required] }

export function PlainFields() {
  const m = useMessages(messages)
  return (
    <FieldStates
      exhibits={[
        { key: 'name', field: (name, label) => <TextField {...{ name, label }} {...need} />, filled: m.longText },
        {
          key: 'phone',
          field: (name, label) => <TextField {...{ name, label }} rules={[phone]} hint={m.emptyHint} />,
          filled: '13800000000',
          wrong: '12',
        },
        {
          key: 'remark',
          field: (name, label) => <TextAreaField {...{ name, label }} {...need} maxLength={200} />,
          filled: m.longText,
        },
        {
          key: 'password',
          field: (name, label) => <PasswordField {...{ name, label }} {...need} />,
          filled: 'secret12',
        },
        {
          key: 'secret',
          field: (name, label) => (
            <SecretField
              {...{ name, label }}
              {...need}
              state={{ isSet: !name.endsWith('wrong'), fingerprint: '9f86d081' }}
            />
          ),
          filled: undefined,
        },
        {
          key: 'port',
          field: (name, label) => <NumberField {...{ name, label }} rules={[port]} unit="TCP" />,
          filled: 8080,
          wrong: 70_000,
        },
        {
          key: 'price',
          field: (name, label) => <MoneyField {...{ name, label }} />,
          filled: 1_234_567,
          wrong: '12.345',
        },
        {
          key: 'state',
          field: (name, label) => <ChoiceField {...{ name, label }} {...need} choices={taskState} />,
          filled: 'running',
        },
        {
          key: 'states',
          field: (name, label) => <ChoicesField {...{ name, label }} {...need} choices={taskState} />,
          filled: ['running', 'queued'],
        },
        { key: 'open', field: (name, label) => <SwitchField {...{ name, label }} {...need} />, filled: true },
        {
          key: 'at',
          field: (name, label) => <TimeField {...{ name, label }} rules={[inFuture]} />,
          filled: later(1),
          wrong: later(-1),
        },
        {
          key: 'period',
          field: (name, label) => (
            <TimeRangeField {...{ name, label }} from={`${name}From`} to={`${name}To`} rules={[required]} />
          ),
          filled: [later(1), later(8)],
          wrong: [later(8), later(1)],
        },
        {
          key: 'pairs',
          field: (name, label) => <KeyValueField {...{ name, label }} most={3} />,
          filled: [{ key: 'lang', value: 'zh' }],
          wrong: [
            { key: 'lang', value: 'zh' },
            { key: 'lang', value: 'en' },
          ],
        },
      ]}
    />
  )
}

export function ReferenceFields() {
  const m = useMessages(messages)
  const form = useForm<Record<string, unknown>>({ defaultValues: { gone: goneRoom, broken: 3 } })
  return (
    <>
      <FieldStates
        exhibits={[
          {
            key: 'room',
            field: (name, label) => <ReferenceField {...{ name, label }} {...need} source={rooms} />,
            filled: 42,
          },
          {
            key: 'rooms',
            field: (name, label) => <ReferencesField {...{ name, label }} {...need} source={rooms} />,
            filled: [1, 2, 3],
          },
        ]}
      />
      <FieldArea form={form} onSubmit={() => undefined}>
        <div className="preview-states">
          <ReferenceField name="gone" label={m.states.gone} source={rooms} />
          <ReferenceField name="broken" label={m.states.failed} source={brokenRooms} />
          <ReferenceField name="none" label={m.states.empty} source={noRooms} />
          <ReferenceField name="slow" label={m.states.loading} source={slowRooms} />
          <ReferenceField name="waits" label={m.states.disabled} source={rooms} waits />
        </div>
      </FieldArea>
    </>
  )
}

export function FileFields() {
  const m = useMessages(messages)
  return (
    <FieldStates
      exhibits={[
        {
          key: 'picture',
          field: (name, label) => (
            <ImageField {...{ name, label }} {...need} send={sendPicture} sizes={[[1125, 480]]} />
          ),
          filled: pictures()[0],
        },
        {
          key: 'pictures',
          field: (name, label) => <ImagesField {...{ name, label }} {...need} send={sendPicture} most={4} />,
          filled: pictures(),
        },
        { key: 'content', field: (name, label) => <RichTextField {...{ name, label }} {...need} />, filled: m.html },
      ]}
    />
  )
}

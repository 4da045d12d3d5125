import '../device.css'
import { useState } from 'react'
import { type CallParts, call, type DataOf } from '@/api/call'
import { notifySuccess } from '@/api/notices'
import { useApiMutation } from '@/api/query'
import { sentenceOf } from '@/api/sentence'
import { useMessages } from '@/i18n/messages'
import { NumberField } from '@/kit/form/fields'
import { FormDrawer } from '@/kit/form/form-drawer'
import { useForm } from '@/kit/form/use-form'
import { ReferenceField } from '@/kit/reference/reference-field'
import { grouped } from '@/rules/format'
import { integerBetween } from '@/rules/numbers'
import { required } from '@/rules/texts'
import { Button } from '@/ui/button'
import { Callout } from '@/ui/callout'
import { Form } from '@/ui/form'
import { type Flat, nest } from '../nested'
import { framesOf, plansOf, rooms } from '../places'
import { KindFields } from './kind-fields'
import { messages } from './messages'

type RangeInput = CallParts<'cardRangeCreate'>['body']
type Preview = DataOf<'cardRangePreview'>

/** The room is asked only to find the plan and the frame. */
const bodyOf = ({ roomId: _room, first, ...values }: Flat) =>
  // People count from one, the call from zero.
  nest<RangeInput>({ ...values, ...(typeof first === 'number' && { first: first - 1 }) })

/** Makes a card for each free address of a part of an address plan. */
export default function CardRange({ onClose }: { onClose: () => void }) {
  const m = useMessages(messages)
  const form = useForm<Flat>({ defaultValues: { first: 1, count: 12, isAssignable: true, isOvercommit: true } })
  const make = useApiMutation('cardRangeCreate', { refresh: ['cardList', 'cardCounts', 'fleetTree'] })
  const room = Form.useWatch('roomId', form.instance) as number | undefined
  const waits = room === undefined
  const save = async (values: Flat) => {
    const { newCards } = await make.mutateAsync({ body: bodyOf(values) })
    notifySuccess(m.cards(grouped(newCards)))
  }
  return (
    <FormDrawer form={form} save={save} title={m.rangeTitle} messages={messages} onClose={onClose}>
      <ReferenceField name="roomId" source={rooms} clears={['planId', 'frameId']} rules={[required]} />
      <ReferenceField name="planId" source={plansOf(room)} waits={waits} rules={[required]} />
      <NumberField name="first" rules={[required, integerBetween(1, 65_536)]} />
      <NumberField name="count" rules={[required, integerBetween(1, 10_000)]} />
      <ReferenceField name="frameId" source={framesOf(room)} waits={waits} />
      <KindFields />
      <WhatItMakes values={() => bodyOf(form.instance.getFieldsValue() as Flat)} />
    </FormDrawer>
  )
}

/** The cards that it would make, asked when somebody wants to see them. */
function WhatItMakes({ values }: { values: () => RangeInput }) {
  const m = useMessages(messages)
  const [found, setFound] = useState<Preview | string>()
  const ask = () =>
    call('cardRangePreview', { body: values() }, { suppressNotice: true }).then(setFound, (error: unknown) =>
      setFound(sentenceOf(error)),
    )
  return (
    <section aria-label={m.rangePreview}>
      <Button onClick={() => void ask()}>{m.rangePreview}</Button>
      {typeof found === 'string' && <Callout tone="warn" title={found} />}
      {typeof found === 'object' && (
        <div aria-live="polite">
          <p>{m.rangeMake(grouped(found.newCards))}</p>
          {found.taken > 0 && <Callout tone="info" title={m.rangeTaken(grouped(found.taken))} />}
          <ol className="device-pairs sky-mono">
            {found.sample.map(({ intranetIp, adbPort, extranetIp, extranetPort }) => (
              <li key={`${intranetIp}:${adbPort}`}>
                {intranetIp}:{adbPort} → {extranetIp}:{extranetPort}
              </li>
            ))}
          </ol>
        </div>
      )}
    </section>
  )
}

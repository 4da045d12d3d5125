import '../device.css'
import { useMemo, useState } from 'react'
import { useCan } from '@/access/permissions'
import { type CallParts, call, type DataOf } from '@/api/call'
import { notifySuccess } from '@/api/notices'
import { useApiMutation, useApiQuery } from '@/api/query'
import { sentenceOf } from '@/api/sentence'
import { useMessages } from '@/i18n/messages'
import { choicesOf } from '@/kit/choices'
import { ChoiceField, NumberField } from '@/kit/form/fields'
import { FormDrawer } from '@/kit/form/form-drawer'
import { useForm } from '@/kit/form/use-form'
import { grouped } from '@/rules/format'
import { integerBetween } from '@/rules/numbers'
import { required } from '@/rules/texts'
import { Button } from '@/ui/button'
import { Callout } from '@/ui/callout'
import { Form } from '@/ui/form'
import { type Flat, nest } from '../nested'
import { useFrames } from '../places'
import { KindFields } from './kind-fields'
import { messages } from './messages'

type RangeInput = CallParts<'cardRangeCreate'>['body']
type Preview = DataOf<'cardRangePreview'>

/** Makes a card for each free address of a part of an address plan. */
export default function CardRange({ onClose }: { onClose: () => void }) {
  const m = useMessages(messages)
  const form = useForm<Flat>({ defaultValues: { first: 0, count: 12, isAssignable: true, isOvercommit: false } })
  const make = useApiMutation('cardRangeCreate', { refresh: ['cardList', 'cardCounts', 'fleetTree'] })
  const enabled = useCan()('addressPlan:list')
  const plans = useApiQuery('addressPlanList', { query: { pageNum: 1, pageSize: 500 } }, { enabled })
  const choices = useMemo(
    () => choicesOf((plans.data?.list ?? []).map(({ id, name, intranet }) => [id, `${name} ${intranet.startIp}`])),
    [plans.data],
  )
  const plan = Form.useWatch('planId', form.instance) as number | undefined
  const frames = useFrames(plans.data?.list.find(({ id }) => id === plan)?.roomId)
  const save = async (values: Flat) => {
    const { newCards } = await make.mutateAsync({ body: nest<RangeInput>(values) })
    notifySuccess(m.cards(grouped(newCards)))
  }
  return (
    <FormDrawer form={form} save={save} title={m.rangeTitle} messages={messages} onClose={onClose}>
      <ChoiceField name="planId" choices={choices} rules={[required]} />
      <NumberField name="first" rules={[required, integerBetween(0, 65_535)]} />
      <NumberField name="count" rules={[required, integerBetween(1, 10_000)]} />
      <ChoiceField name="frameId" choices={frames.choices} />
      <KindFields />
      <WhatItMakes values={() => nest<RangeInput>(form.instance.getFieldsValue() as Flat)} />
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

import { useCan } from '@/access/permissions'
import type { CallParts } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { words as phoneWords } from '@/api/words/PhoneView'
import { counted, defineMessages, useMessages } from '@/i18n/messages'
import { ChoiceField, NumberField, SwitchField } from '@/kit/form/fields'
import { ReasonField } from '@/kit/form/reason-field'
import { Labels } from '@/kit/labels'
import type { Selection } from '@/kit/list/selection'
import { Judgement } from '@/kit/preflight/judgement'
import { ReferenceField } from '@/kit/reference/reference-field'
import { integerBetween } from '@/rules/numbers'
import { required } from '@/rules/texts'
import { Form } from '@/ui/form'
import { plan } from '../choices'
import { rooms } from '../places'
import type { ActName } from './acts'

// Apart from the acts: a list does not carry the form library.

const messages = defineMessages({
  fields: {
    plan: phoneWords.plan,
    answeredFor: ['由我担保旧卡不再运行', 'I answer for the lost cards'],
    now: ['立即下机', 'At once'],
    acceptShrunk: ['包括数据明显减少的', 'Also those with far less data'],
  },
  renewDays: ['续费天数', 'Days to add'],
  answeredForHint: [
    '未经 BMC 确认断电的卡恢复后会与云手机重复运行；请先断电，或担保并说明原因',
    'A card that its BMC does not know to be off would run the phone twice if it comes back. Power it off, or answer for it and say why',
  ],
  nowHint: [
    '不提醒，正在使用的用户立即中断；须填写原因',
    'Nobody is warned: whoever uses it is cut off at once. Needs a reason',
  ],
  acceptShrunkHint: [
    '确认数据确实变少：重新备份后下机，上一份备份保护 14 天',
    'Confirms that these phones have this little: they are backed up once more and taken off, and the backups before are safe for 14 days',
  ],
  otherRoom: ['另一机房', 'Other room'],
  cutOff: ['由我担保旧机房的卡已断电或断网', 'I answer for it that the old cards are off or cut off'],
  willRun: (count: string) => [`将对 ${count} 台执行`, `Will be done to ${counted(count, 'phone')}`],
  willRunOf: (count: string, total: string) => [
    `将对 ${count} 台执行（共 ${total} 台）`,
    `Will be done to ${count} of ${counted(total, 'phone')}`,
  ],
  nothing: ['选中的云手机都不能执行', 'It can be done to none of these phones'],
  more: ['选中的云手机很多，以上为前一部分的预检结果', 'Large selection: only the first part of it was checked'],
})

type Asked = CallParts<'phonePreview'>['body']

/** What an act on phones needs to know, and to how many of the selected it would be done. */
export default function ActFields({ name, selection }: { name: ActName; selection: Selection }) {
  const m = useMessages(messages)
  const form = Form.useFormInstance()
  const chosen: unknown = Form.useWatch('plan', form)
  const room: unknown = Form.useWatch('roomId', form)
  const answeredFor = Form.useWatch('answeredFor', form) === true
  const now = Form.useWatch('now', form) === true
  const acceptShrunk = Form.useWatch('acceptShrunk', form) === true
  const filled = { plan: chosen, room, answeredFor, acceptShrunk, now }
  const can = useCan()
  // Of one phone the page says itself what can be done with it, but for what depends on another room, and how many use those
  // that are taken off.
  const isOne = 'ids' in selection && selection.ids.length === 1 && name !== 'openElsewhere' && name !== 'takeOff'
  const act = isOne ? undefined : actOf(name, filled)
  return (
    <Labels messages={messages}>
      {name === 'renew' && <NumberField name="days" label={m.renewDays} rules={[required, integerBetween(1, 999)]} />}
      {name === 'changePlan' && <ChoiceField name="plan" choices={plan} rules={[required]} />}
      {name === 'openElsewhere' && (
        <ReferenceField name="roomId" source={rooms} label={m.otherRoom} rules={[required]} />
      )}
      {name === 'acceptCopy' && <SwitchField name="answeredFor" hint={m.answeredForHint} />}
      {name === 'openElsewhere' && <SwitchField name="answeredFor" label={m.cutOff} hint={m.answeredForHint} />}
      {name === 'goOn' && can('phone:acceptCopy') && <SwitchField name="acceptShrunk" hint={m.acceptShrunkHint} />}
      {name === 'takeOff' && <SwitchField name="now" hint={m.nowHint} />}
      {name !== 'renew' && name !== 'changePlan' && <ReasonField optional={!wantsReason(name, filled)} />}
      {act && <PhonePreflight selection={selection as never} act={act} />}
    </Labels>
  )
}

/** What is filled in. */
interface Filled {
  plan: unknown
  room: unknown
  answeredFor: boolean
  acceptShrunk: boolean
  now: boolean
}

/** Whether somebody else will want to know why. */
const wantsReason = (name: ActName, { answeredFor, acceptShrunk, now }: Filled) =>
  name === 'freeze' ||
  name === 'release' ||
  name === 'giveUp' ||
  name === 'wipeLeft' ||
  name === 'openElsewhere' ||
  (name === 'acceptCopy' && answeredFor) ||
  (name === 'goOn' && acceptShrunk) ||
  (name === 'takeOff' && now)

/** The act, as far as its fields are filled in. For how many days, and how soon, does not decide to which phones it is done. */
function actOf(name: ActName, { plan: chosen, room, answeredFor, acceptShrunk }: Filled): Asked['act'] | undefined {
  if (name === 'goOn') return { kind: name, acceptShrunk }
  if (name === 'acceptCopy' || name === 'acceptOlder') return { kind: 'acceptCopy', answeredFor }
  if (name === 'openElsewhere') return typeof room === 'number' ? { kind: name, roomId: room, answeredFor } : undefined
  if (name === 'renew') return { kind: name, days: 1 }
  if (name !== 'changePlan') return { kind: name }
  return plan.list.some(({ value }) => value === chosen) ? ({ kind: name, plan: chosen } as Asked['act']) : undefined
}

function PhonePreflight(body: Asked) {
  const m = useMessages(messages)
  const found = useApiQuery('phonePreview', { body }, { suppressNotice: true, staleTime: 0, keepPrevious: true })
  return <Judgement found={found} words={m} />
}

import type { DataOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { ActionButtons, RowActions } from '@/kit/action-buttons'
import { ChoiceLabel, defineChoices } from '@/kit/choices'
import { useActions } from '@/kit/use-actions'
import { Button } from '@/ui/button'
import { Callout } from '@/ui/callout'
import { DataTable } from '@/ui/data-table'
import { Drawer } from '@/ui/drawer'
import { FactList } from '@/ui/facts'
import { Placeholder } from '@/ui/placeholder'
import { Tabs } from '@/ui/tabs'
import { power } from '../choices'
import { CardLink } from '../links'
import { useOperationActs } from '../operations/acts'
import type { Begin } from '../operations/spec'
import { checkMessages } from './messages'

export type Check = DataOf<'bmcCheck'>
type Slot = Check['slots'][number]

/** What a BMC thinks of a part of itself. */
const health = defineChoices({
  ok: { value: 'ok', label: ['正常', 'OK'], tone: 'good' },
  warning: { value: 'warning', label: ['注意', 'Warning'], tone: 'warn' },
  critical: { value: 'critical', label: ['严重', 'Critical'], tone: 'bad' },
  unknown: { value: 'unknown', label: ['未知', 'Unknown'], tone: 'muted' },
})

/** What can be ordered of a slot, by what is known of its power: nothing is turned on that is on. */
const orders: Readonly<Record<number, readonly Begin['name'][]>> = {
  [power.value.on]: ['powerCycle', 'powerOff'],
  [power.value.off]: ['powerOn'],
  [power.value.unknown]: ['powerCycle', 'powerOn', 'powerOff'],
}

const unit = { temperature: '°C', fan: 'RPM', power: 'W' } as const

interface CheckDrawerProps {
  name: string
  check: Check
  /** It is being asked once more. */
  isBusy: boolean
  onAgain: () => void
  onClose: () => void
}

/** What a BMC told of itself: whether it lets us in, what is in its slots, and its readings. */
export default function CheckDrawer({ name, check, isBusy, onAgain, onClose }: CheckDrawerProps) {
  const m = useMessages(checkMessages)
  return (
    <Drawer
      open
      size={860}
      title={m.title(name)}
      extra={
        <Button loading={isBusy} onClick={onAgain}>
          {m.again}
        </Button>
      }
      onClose={onClose}
    >
      {check.isOk ? (
        <Callout tone="good" title={m.ok(check.millis)}>
          {check.isNewCertificate && m.pinned}
        </Callout>
      ) : (
        <Callout tone="bad" title={check.reason}>
          <p>{check.detail}</p>
          <p>{m.failedHint}</p>
        </Callout>
      )}
      <FactList
        facts={[
          {
            key: 'certificate',
            label: m.certificate,
            value: check.certificate ? <span className="sky-mono">{check.certificate}</span> : undefined,
            wide: true,
          },
        ]}
      />
      {check.isOk && (
        <Tabs
          items={[
            { key: 'slots', label: m.slots(check.slots.length), children: <Slots slots={check.slots} /> },
            { key: 'sensors', label: m.sensors(check.sensors.length), children: <Sensors check={check} /> },
          ]}
        />
      )}
    </Drawer>
  )
}

function Slots({ slots }: { slots: Slot[] }) {
  const m = useMessages(checkMessages)
  const runner = useActions()
  const actsOn = useOperationActs()
  const powerActs = ({ card, power: now }: Slot) =>
    card ? actsOn({ ids: [card.id] }, 'many', orders[now] ?? orders[power.value.unknown]) : []
  const cards = slots.flatMap(({ card }) => card?.id ?? [])
  return (
    <>
      {cards.length > 0 && (
        <div className="kit-tools">
          <ActionButtons
            acts={actsOn({ ids: cards }, 'many', ['powerCycle', 'powerOn', 'powerOff']).map((act) => ({
              ...act,
              group: m.whole,
            }))}
            runner={runner}
            target={m.wholeOf(cards.length)}
            size="small"
          />
        </div>
      )}
      <DataTable
        label={m.slotTable}
        rows={slots}
        rowKey={({ slot }) => String(slot)}
        empty={<Placeholder title={m.noSlots} />}
        columns={[
          { key: 'slot', title: m.slot, align: 'end', render: ({ slot }) => slot },
          { key: 'name', title: m.name, render: ({ name }) => name },
          {
            key: 'power',
            title: m.power,
            render: (slot) => <ChoiceLabel choices={power} value={slot.power} />,
          },
          {
            key: 'health',
            title: m.health,
            render: (slot) => <ChoiceLabel choices={health} value={slot.health} />,
          },
          {
            key: 'card',
            title: m.card,
            render: ({ card, serial }) => <Inside card={card} serial={serial} />,
          },
          {
            key: 'acts',
            title: m.acts,
            render: (slot) => (
              <RowActions acts={powerActs(slot)} name={slot.card?.intranetIp ?? slot.name} runner={runner} inView={1} />
            ),
          },
        ]}
      />
      {runner.host}
    </>
  )
}

/** The recorded card beside the serial that the BMC reports. */
function Inside({ card, serial }: Pick<Slot, 'card' | 'serial'>) {
  const m = useMessages(checkMessages)
  if (!card) return <span className="sky-soft">{serial ? m.unmapped(serial) : m.noCard}</span>
  return (
    <>
      <CardLink id={card.id} name={card.intranetIp} />
      {card.isOther && <Callout tone="bad" title={m.other(serial ?? '', card.serial ?? '')} />}
    </>
  )
}

function Sensors({ check }: { check: Check }) {
  const m = useMessages(checkMessages)
  const reading = (value: number | null | undefined, kind: keyof typeof unit) =>
    typeof value === 'number' ? `${value} ${unit[kind]}` : '—'
  return (
    <DataTable
      label={m.sensorTable}
      rows={check.sensors.map((sensor, at) => ({ ...sensor, at }))}
      rowKey={({ at }) => String(at)}
      empty={<Placeholder title={m.noSensors} />}
      columns={[
        { key: 'name', title: m.name, render: ({ name }) => name },
        { key: 'reading', title: m.reading, align: 'end', render: (sensor) => reading(sensor.reading, sensor.kind) },
        { key: 'critical', title: m.critical, align: 'end', render: (sensor) => reading(sensor.critical, sensor.kind) },
        {
          key: 'health',
          title: m.health,
          render: (sensor) => <ChoiceLabel choices={health} value={sensor.health} />,
        },
      ]}
    />
  )
}

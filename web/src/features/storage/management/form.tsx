import type { CallParts, RowOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { ChoiceField, NumberField, SwitchField, TextField } from '@/kit/form/fields'
import { FormDrawer } from '@/kit/form/form-drawer'
import { useForm } from '@/kit/form/use-form'
import { type Save, useSave } from '@/kit/form/use-save'
import { ReferencesField } from '@/kit/reference/reference-field'
import { downloadSpeed, integerBetween, uploadSpeed } from '@/rules/numbers'
import { line, required } from '@/rules/texts'
import { Form } from '@/ui/form'
import { agents } from '../../device/links'
import { backupStrategy, capacityUnit } from '../choices'
import { capacityOf } from './capacity'
import { messages } from './messages'

type Node = RowOf<'storeNodeList'>
type Input = CallParts<'storeNodeCreate'>['body']

const inputOf = ({ name, city, place, partitions, latitude, longitude, ...node }: Node): Input => ({
  name,
  city,
  place,
  partitions,
  latitude,
  longitude,
  downloadMbit: node.downloadMbit,
  uploadMbit: node.uploadMbit,
  snapshots: node.snapshots,
  strategy: node.strategy,
  cycle: node.cycle,
  agents: node.agents.map(({ agent }) => agent.id),
  ...capacityOf(node.capacityBytes),
})

const blank: Partial<Input> = {
  unit: capacityUnit.value.gb,
  partitions: 1,
  snapshots: false,
  strategy: backupStrategy.value.daily,
  cycle: 1,
}

/** Makes a storage node, or changes one. */
export default function NodeForm({ node, onClose }: { node?: Node; onClose: () => void }) {
  const m = useMessages(messages)
  const form = useForm<Partial<Input>>({ defaultValues: node ? inputOf(node) : blank })
  const send = useSave<Partial<Input>>('storeNode', node?.id, { refresh: ['storeNodeList', 'storeNodeGet'] })
  // Somebody else may have changed the node since it was read: then the server refuses.
  const save: Save<Partial<Input>> = (values) => send(node ? { ...values, version: node.version } : values)
  const known = node?.agents.map(({ agent }) => agent)
  return (
    <FormDrawer
      form={form}
      save={save}
      title={node ? m.editTitle(node.name) : m.create}
      messages={messages}
      onClose={onClose}
    >
      <TextField name="name" rules={[required, line(48)]} maxLength={48} />
      <TextField name="city" rules={[required, line(40)]} maxLength={40} />
      <ReferencesField name="agents" source={agents} rules={[required]} hint={m.agentsHint} {...(known && { known })} />
      <TextField
        name="place"
        rules={[required, line(256)]}
        maxLength={256}
        hint={node?.made ? m.placeKept : m.placeHint}
      />
      <NumberField name="capacity" rules={[required, integerBetween(1, 99_999)]} />
      <ChoiceField name="unit" choices={capacityUnit} />
      <NumberField name="partitions" rules={[required, integerBetween(1, 100)]} hint={m.partitionsHint} />
      <SwitchField name="snapshots" hint={m.snapshotsHint} />
      <ChoiceField name="strategy" choices={backupStrategy} rules={[required]} hint={m.strategyHint} />
      <CycleField />
      <NumberField name="downloadMbit" rules={[downloadSpeed]} hint={m.downloadHint} />
      <NumberField name="uploadMbit" rules={[uploadSpeed]} hint={m.uploadHint} />
      <NumberField name="latitude" unit="°" />
      <NumberField name="longitude" unit="°" />
    </FormDrawer>
  )
}

/** The cycle, where the strategy has one. */
function CycleField() {
  const m = useMessages(messages)
  const strategy: unknown = Form.useWatch('strategy', Form.useFormInstance())
  const isWeekly = strategy === backupStrategy.value.weekly
  if (!isWeekly && strategy !== backupStrategy.value.daily) return null
  return (
    <NumberField
      name="cycle"
      rules={[required, integerBetween(1, 30)]}
      hint={isWeekly ? m.cycleWeeklyHint : m.cycleHint}
    />
  )
}

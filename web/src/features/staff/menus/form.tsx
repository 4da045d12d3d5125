import { useMessages } from '@/i18n/messages'
import { choicesOf } from '@/kit/choices'
import { Facts } from '@/kit/detail/facts'
import { ChoiceField, NumberField, SwitchField, TextField } from '@/kit/form/fields'
import { FormDrawer } from '@/kit/form/form-drawer'
import { useForm } from '@/kit/form/use-form'
import { useSave } from '@/kit/form/use-save'
import { integerBetween } from '@/rules/numbers'
import { line, required } from '@/rules/texts'
import { Callout } from '@/ui/callout'
import { menuKind } from './choices'
import { blankBelow, type MenuInput, valuesOf } from './form-values'
import { IconField } from './icon-field'
import { stale, useReloadMenu } from './menu-acts'
import { messages } from './messages'
import { menuCode, menuPath } from './rules'
import type { MenuEntry, MenuNode } from './tree'

/** What the form is about: an entry, or the place where a new one goes. */
export type Editing = { entry: MenuEntry } | { parent: MenuNode | undefined }

interface MenuFormProps {
  editing: Editing
  /** What may be above it: the level that the entry hangs on. */
  places: readonly MenuNode[]
  onClose: () => void
}

const { section, button } = menuKind.value

/** Makes an entry below another one, or changes one. A built-in entry keeps its path and its code. */
export default function MenuForm({ editing, places, onClose }: MenuFormProps) {
  const m = useMessages(messages)
  const entry = 'entry' in editing ? editing.entry : undefined
  const parent = 'entry' in editing ? undefined : editing.parent
  const kind = entry?.kind ?? (parent ? parent.entry.kind + 1 : section)
  const form = useForm<MenuInput>({ defaultValues: entry ? valuesOf(entry) : blankBelow(parent) })
  const send = useSave<MenuInput>('menu', entry?.id, { refresh: stale })
  const reloadMenu = useReloadMenu()
  const isBuiltin = entry?.builtin === true
  const above = places.find((place) => place.entry.id === (entry?.parentId ?? parent?.entry.id))
  const choices = choicesOf(places.map(({ entry: place }) => [place.id, place.title] as const))
  const titles = { 1: m.addSection, 2: m.addScreen, 3: m.addButton }

  async function save(values: MenuInput) {
    await send(values)
    reloadMenu()
  }

  return (
    <FormDrawer
      form={form}
      save={save}
      title={entry ? m.editTitle(entry.title) : titles[kind as keyof typeof titles]}
      messages={messages}
      onClose={onClose}
    >
      {entry && isBuiltin && (
        <div className="menu-fixed">
          <Callout tone="info" title={m.builtinHint} />
          <Facts wide={['path', 'code']} of={{ ...(kind !== button && { path: entry.path }), code: entry.code }} />
        </div>
      )}
      {kind !== section && <ChoiceField name="parentId" choices={choices} rules={[required]} />}
      <TextField name="name" rules={[required, line(64)]} maxLength={64} hint={isBuiltin ? m.nameHint : undefined} />
      {!isBuiltin && kind !== button && (
        <TextField
          name="path"
          rules={[required, menuPath]}
          hint={above ? m.pathHint(above.fullPath) : m.sectionPathHint}
        />
      )}
      {!isBuiltin && (
        <TextField
          name="code"
          rules={kind === button ? [required, menuCode] : [menuCode]}
          hint={kind === button ? m.buttonCodeHint : m.codeHint}
        />
      )}
      {kind !== button && <IconField name="icon" />}
      <NumberField name="sort" rules={[integerBetween(0, 99_999)]} hint={m.sortHint} />
      {kind !== button && <SwitchField name="visible" />}
      {!entry && <Callout tone="info" title={m.assignHint} />}
    </FormDrawer>
  )
}

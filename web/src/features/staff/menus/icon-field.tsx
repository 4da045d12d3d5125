import { Field } from '@/kit/form/field'
import { MenuIcon, menuIconNames } from '@/ui/menu-icons'
import { Select } from '@/ui/select'

/** One of the icons that the console ships, to be found by its name. */
export function IconField({ name }: { name: string }) {
  return (
    <Field<string> name={name}>
      <Select
        showSearch
        allowClear
        options={menuIconNames.map((icon) => ({ value: icon, label: icon }))}
        optionRender={({ value }) => <IconOption name={String(value)} />}
        labelRender={({ value }) => <IconOption name={String(value)} />}
      />
    </Field>
  )
}

function IconOption({ name }: { name: string }) {
  return (
    <span className="menu-option">
      <MenuIcon name={name} />
      {name}
    </span>
  )
}

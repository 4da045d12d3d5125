import { usePreference } from '@/access/preferences'
import { useMessages } from '@/i18n/messages'
import { Button } from '@/ui/button'
import { Checkbox } from '@/ui/checkbox'
import { SettingIcon } from '@/ui/icons'
import { Popover } from '@/ui/popover'
import { Tooltip } from '@/ui/tooltip'
import { kitMessages } from '../messages'
import type { Column } from './columns'

/** What a person changed about the columns. Kept as a difference, so that a new column appears by itself. */
interface ColumnPreference {
  hidden: readonly string[]
  shown: readonly string[]
}

const untouched: ColumnPreference = { hidden: [], shown: [] }

/** The columns that this person wants to see, and how to change that. Remembered per person and list. */
export function useColumnChoice<T>(name: string, columns: readonly Column<T>[]) {
  const [choice, setChoice] = usePreference(`${name}.columns`, untouched)
  const isShown = ({ key, lasting, spare }: Column<T>) =>
    lasting || (spare ? choice.shown.includes(key) : !choice.hidden.includes(key))
  const toggle = (column: Column<T>) => {
    const list = column.spare ? 'shown' : 'hidden'
    const kept = choice[list].filter((key) => key !== column.key)
    setChoice({ ...choice, [list]: kept.length < choice[list].length ? kept : [...kept, column.key] })
  }
  return { shown: columns.filter(isShown), isShown, toggle, reset: () => setChoice(untouched) }
}

/** The button with the list of columns to tick. */
export function ColumnButton<T>(props: {
  columns: readonly Column<T>[]
  labels: Readonly<Record<string, string>>
  choice: ReturnType<typeof useColumnChoice<T>>
}) {
  const m = useMessages(kitMessages)
  const { columns, labels, choice } = props
  const panel = (
    <fieldset className="kit-column-choice">
      <legend>{m.columns}</legend>
      {columns.map((column) => (
        <Checkbox
          key={column.key}
          checked={choice.isShown(column)}
          disabled={column.lasting === true}
          onChange={() => choice.toggle(column)}
        >
          {labels[column.key] ?? column.key}
        </Checkbox>
      ))}
      <button type="button" className="sky-link" onClick={choice.reset}>
        {m.columnsReset}
      </button>
    </fieldset>
  )
  return (
    <Popover trigger="click" placement="bottomRight" content={panel}>
      <Tooltip title={m.columns}>
        <Button aria-label={m.columns} icon={<SettingIcon />} />
      </Tooltip>
    </Popover>
  )
}

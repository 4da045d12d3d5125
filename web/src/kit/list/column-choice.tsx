import { useMemo } from 'react'
import { usePreference } from '@/access/preferences'
import { useMessages } from '@/i18n/messages'
import { Button } from '@/ui/button'
import { Checkbox } from '@/ui/checkbox'
import { SettingIcon } from '@/ui/icons'
import { Popover } from '@/ui/popover'
import { Tooltip } from '@/ui/tooltip'
import { kitMessages } from '../messages'
import type { Column } from './columns'
import { usualColumns } from './look'
import type { List } from './use-list'

/** The widths that somebody dragged columns to, by their keys. */
export type Widths = Readonly<Record<string, number>>

const noWidths: Widths = {}

/** The columns that this person wants to see, and how to change that: as the address of the list has it. */
export function useColumnChoice<T>(
  { operation, look }: Pick<List, 'operation' | 'look'>,
  columns: readonly Column<T>[],
) {
  const [fits, setFits] = usePreference(`${operation}.fitColumns`, true)
  const [widths, setWidths] = usePreference<Widths>(`${operation}.widths`, noWidths)
  const choice = look?.columns ?? usualColumns
  const isShown = ({ key, lasting, spare }: Column<T>) =>
    lasting || (spare ? choice.shown.includes(key) : !choice.hidden.includes(key))
  const toggle = (column: Column<T>) => {
    const part = column.spare ? 'shown' : 'hidden'
    const kept = choice[part].filter((key) => key !== column.key)
    look?.setColumns({ ...choice, [part]: kept.length < choice[part].length ? kept : [...kept, column.key] })
  }
  // The same array as long as it is the same choice: the rows are drawn anew for another one.
  const { hidden, shown } = choice
  const wanted = [...hidden, '|', ...shown].join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: `wanted` is what `isShown` reads
  const inOrder = useMemo(() => columns.filter(isShown), [columns, wanted])
  return {
    fits,
    setFits,
    shown: inOrder,
    isShown,
    toggle,
    widths,
    setWidth: (key: string, pixels: number) => setWidths({ ...widths, [key]: pixels }),
    reset: () => {
      setWidths(noWidths)
      look?.setColumns(usualColumns)
    },
  }
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
      <Checkbox checked={choice.fits} onChange={(event) => choice.setFits(event.target.checked)}>
        {m.columnsFit}
      </Checkbox>
      <button type="button" className="sky-link" onClick={choice.reset}>
        {m.columnsReset}
      </button>
    </fieldset>
  )
  return (
    <Popover trigger="click" placement="bottomRight" content={panel}>
      <Tooltip title={m.columnsOf(choice.shown.length, columns.length)}>
        <Button aria-label={m.columns} icon={<SettingIcon />} />
      </Tooltip>
    </Popover>
  )
}

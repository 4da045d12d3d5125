import { useMemo, useState } from 'react'
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
const nothing: readonly string[] = []

/**
 * The columns that this person wants to see, and how to change that: as the address of the list has it.
 *
 * What is ticked is shown, whole. Of the usual columns the window has as many as fit, the important ones first, and the
 * button says which are left out. A column that somebody ticks stays in any window: where that is too much, the table
 * scrolls sideways between its first column and the acts. It never takes another column away.
 */
export function useColumnChoice<T>(
  { operation, look }: Pick<List, 'operation' | 'look'>,
  columns: readonly Column<T>[],
) {
  const [fits, setFits] = usePreference(`${operation}.fitColumns`, true)
  const [widths, setWidths] = usePreference<Widths>(`${operation}.widths`, noWidths)
  const [leftOut, setLeftOut] = useState(nothing)
  const { hidden, shown } = look?.columns ?? usualColumns
  const isWanted = ({ key, lasting, spare }: Column<T>) =>
    lasting || shown.includes(key) || (!spare && !hidden.includes(key))
  const isShown = (column: Column<T>) => isWanted(column) && !leftOut.includes(column.key)
  const toggle = (column: Column<T>) => {
    const without = (keys: readonly string[]) => keys.filter((key) => key !== column.key)
    const next = isShown(column)
      ? { hidden: column.spare ? hidden : [...without(hidden), column.key], shown: without(shown) }
      : { hidden: without(hidden), shown: [...without(shown), column.key] }
    look?.setColumns(next)
  }
  // The same array as long as it is the same choice: the rows are drawn anew for another one.
  const choice = [...hidden, '|', ...shown].join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: `choice` is what decides
  const wanted = useMemo(
    () => columns.filter(isWanted).map((column) => ({ ...column, chosen: shown.includes(column.key) })),
    [columns, choice],
  )
  return {
    fits,
    setFits,
    wanted,
    isShown,
    toggle,
    /** The usual columns that have no room; the table tells. */
    leftOut: wanted.filter(({ key }) => leftOut.includes(key)),
    setLeftOut,
    widths,
    setWidth: (key: string, pixels: number) => setWidths({ ...widths, [key]: pixels }),
    reset: () => {
      setWidths(noWidths)
      look?.setColumns(usualColumns)
    },
  }
}

interface ColumnButtonProps<T> {
  columns: readonly Column<T>[]
  labels: Readonly<Record<string, string>>
  choice: ReturnType<typeof useColumnChoice<T>>
}

/** The button with the list of columns to tick. It counts those that have no room, and names them. */
export function ColumnButton<T>({ columns, labels, choice }: ColumnButtonProps<T>) {
  const m = useMessages(kitMessages)
  const nameOf = ({ key }: Column<T>) => labels[key] ?? key
  const { leftOut } = choice
  const missing = leftOut.length > 0 && m.columnsLeftOut(leftOut.length, leftOut.map(nameOf).join(m.comma))
  const all = m.columnsOf(columns.filter(choice.isShown).length, columns.length)
  const panel = (
    <fieldset className="kit-column-choice">
      <legend>{m.columns}</legend>
      {missing && (
        <p className="sky-soft">
          {missing}
          <br />
          {m.columnsStay}
        </p>
      )}
      {columns.map((column) => (
        <Checkbox
          key={column.key}
          name={column.key}
          checked={choice.isShown(column)}
          disabled={column.lasting === true}
          onChange={() => choice.toggle(column)}
        >
          {nameOf(column)}
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
      <Tooltip title={missing ? `${all}${m.stop}${missing}` : all}>
        <Button aria-label={m.columns} aria-description={missing || undefined} icon={<SettingIcon />}>
          {missing && <span className="kit-left-out">−{leftOut.length}</span>}
        </Button>
      </Tooltip>
    </Popover>
  )
}

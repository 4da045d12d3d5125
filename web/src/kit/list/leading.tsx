import { useMemo } from 'react'
import type { Column } from './columns'
import { DetailLink } from './detail-link'
import type { Row } from './use-list'

/**
 * The columns of a list as its page shows them. Whichever stands first stays in sight, and leads to the detail of its
 * row where there is one. Beside an open detail there is room for the main columns alone, whatever else was chosen.
 */
export function useLeading<T extends Row>(columns: readonly Column<T>[], opens: boolean, isBeside: boolean) {
  return useMemo(() => {
    const [first, ...rest] = isBeside ? columns.map(asUsual) : columns
    if (!first) return columns
    const leading: Column<T> = { ...first, pin: 'start' }
    return [opens && !first.opens ? linked(leading) : leading, ...rest]
  }, [columns, opens, isBeside])
}

const asUsual = <T,>({ chosen: _chosen, spare: _spare, ...column }: Column<T>): Column<T> => column

const linked = <T extends Row>({ render, ...column }: Column<T>): Column<T> => ({
  ...column,
  render: (row) => <DetailLink id={row.id}>{render(row)}</DetailLink>,
})

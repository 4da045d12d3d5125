import { useEffect, useState } from 'react'
import type { Walk } from '../detail/detail-place'
import type { useDetail } from './detail-link'
import type { List, Row } from './use-list'

/** The way of an open detail through the rows of its list, on to the next page and back. */
export function useWalk<T extends Row>(list: List<T>, detail: ReturnType<typeof useDetail>): Walk {
  const { rows, page, pageSize, total, isFetching } = list
  const [entering, setEntering] = useState<{ page: number; from: 'top' | 'end' }>()
  const at = detail.id === undefined ? -1 : rows.findIndex(({ id }) => String(id) === detail.id)
  const pages = Math.max(1, Math.ceil(total / pageSize))
  const open = (row: T | undefined) => row && detail.open(String(row.id))
  const enter = (to: number, from: 'top' | 'end') => {
    setEntering({ page: to, from })
    list.setPage(to)
  }

  // The rows of another page come a moment after it was asked for.
  useEffect(() => {
    if (!entering || entering.page !== page || isFetching) return
    setEntering(undefined)
    open(entering.from === 'top' ? rows[0] : rows.at(-1))
  })

  const isLast = at === rows.length - 1
  return {
    at: at < 0 ? undefined : (page - 1) * pageSize + at + 1,
    total,
    next: step(
      !isLast,
      () => open(rows[at + 1]),
      page < pages,
      () => enter(page + 1, 'top'),
    ),
    // What is not on this page has no row before it here.
    previous:
      at < 0
        ? undefined
        : step(
            at > 0,
            () => open(rows[at - 1]),
            page > 1,
            () => enter(page - 1, 'end'),
          ),
  }
}

/** One row on; at the end of a page, one page on. */
const step = (isHere: boolean, here: () => void, isThere: boolean, there: () => void) =>
  isHere ? here : isThere ? there : undefined

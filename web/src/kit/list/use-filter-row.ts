import {
  Children,
  Fragment,
  isValidElement,
  type ReactElement,
  type ReactNode,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'

/** A filter as a screen writes it: its name is that of what it sets. */
export type FilterElement = ReactElement<{ name: string; placeholder?: string; from?: string; to?: string }>

/** The filters of a list, in one row as far as there is room. */
export interface FilterRow {
  ref: (row: HTMLElement | null) => void
  shown: readonly FilterElement[]
  hidden: readonly FilterElement[]
  /** What stands among the filters and is none. */
  others: readonly ReactNode[]
}

/** What a filter may set; a span of time sets two. */
export const namesOf = ({ props }: FilterElement): string[] => [
  props.name,
  props.from ?? 'startTime',
  props.to ?? 'endTime',
]

/** As in kit.css. */
const gap = 8
const padding = 3

const insideOf = (row: HTMLElement | null) => (row?.clientWidth ?? 0) - 2 * padding
/** Room for the button with the others, in either language and with a count. */
const moreWidth = 150

/** How many filters from the first one have room. Without a measure all have. */
export function filtersThatFit(widths: readonly number[], room: number): number {
  const total = widths.reduce((sum, width) => sum + width + gap, -gap)
  if (room <= 0 || total <= room) return widths.length
  let used = 0
  const count = widths.findIndex((width) => {
    used += width + gap
    return used + moreWidth > room
  })
  // The first one is the search, which has to be there.
  return Math.max(1, count)
}

/** Splits filters into those that have room in one row, and those behind a button. */
export function useFilterRow(filters: ReactNode): FilterRow {
  const all = Children.toArray(isFragment(filters) ? filters.props.children : filters)
  const own = all.filter(isFilter)
  const row = useRef<HTMLElement>(null)
  const widths = useRef(new Map<string, number>())
  const [count, setCount] = useState(own.length)
  const [room, setRoom] = useState(0)

  // On every render: what is chosen changes how wide a filter is.
  useLayoutEffect(() => {
    for (const element of row.current?.querySelectorAll<HTMLElement>('[data-filter]') ?? []) {
      widths.current.set(element.dataset.filter ?? '', ownWidth(element))
    }
    const known = own.map(({ key }) => widths.current.get(String(key)) ?? moreWidth)
    setCount(filtersThatFit(known, room || insideOf(row.current)))
  })

  const observe = useRef((element: HTMLElement | null) => {
    row.current = element
    if (!element || typeof ResizeObserver === 'undefined') return
    const observer = new ResizeObserver(() => insideOf(element) > 0 && setRoom(insideOf(element)))
    observer.observe(element)
    return () => observer.disconnect()
  })
  return {
    ref: observe.current,
    shown: own.slice(0, count),
    hidden: own.slice(count),
    others: all.filter((each) => !isFilter(each)),
  }
}

/** What a filter takes at least; one that grows has its own width besides the one it has grown to. */
function ownWidth(element: HTMLElement): number {
  const field = element.firstElementChild
  const own = element.dataset.grows && field instanceof HTMLElement ? Number.parseFloat(field.style.width) : Number.NaN
  return Number.isNaN(own) ? element.offsetWidth : own
}

const isFragment = (node: ReactNode): node is ReactElement<{ children: ReactNode }> =>
  isValidElement(node) && node.type === Fragment

const isFilter = (node: ReactNode): node is FilterElement =>
  isValidElement<{ name?: unknown }>(node) && typeof node.props.name === 'string'

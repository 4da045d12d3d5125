import { useEffect, useRef } from 'react'
import type { Walk } from '../detail/detail-place'

const typing = 'input:not([type=checkbox]), textarea, select, [contenteditable=true], [role=combobox]'
const openPopup = '.ant-popover:not(.ant-popover-hidden), .ant-dropdown:not(.ant-dropdown-hidden)'
const steps: Readonly<Record<string, number>> = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 }

/**
 * The keys of a list: `/` goes to its search, J and K (the arrows too, once a row has the focus) walk the rows, X
 * selects one, Enter opens it, Escape gives the selection up. Beside an open detail the same keys `walk` it through
 * the rows. They are for the page in view, and for nobody who types or answers a dialog.
 */
export function useListKeys(onEscape: () => void, walk?: Walk) {
  const ref = useRef<HTMLElement>(null)
  const now = useRef({ onEscape, walk })
  now.current = { onEscape, walk }
  // The keys work wherever the focus is, so the document listens.
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      const list = ref.current
      const target = event.target as HTMLElement
      if (!list?.checkVisibility?.() || target.closest(typing)) return
      if (document.querySelector('[role=dialog], [role=alertdialog]')?.checkVisibility()) return
      if (event.key === 'Escape') {
        // What is open over the list closes first, and does so by itself.
        if (!document.querySelector(openPopup)?.checkVisibility()) now.current.onEscape()
        return
      }
      if (walked(now.current.walk, target, event.key) || press(list, target, event.key)) event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  return ref
}

/** Arrows belong to what has its own use for them: the parts of the detail, and what scrolls in it. */
const ownArrows = '.kit-beside-body, [role=tab], [role=menu], [role=listbox], [role=tree], [role=radiogroup]'

/** Opens the next row or the one before, as the key says; false when it says neither. */
function walked(walk: Walk | undefined, target: HTMLElement, key: string): boolean {
  const step = walk && stepOf(key)
  if (!step || (key.length > 1 && target.closest(ownArrows))) return false
  const go = step > 0 ? walk.next : walk.previous
  go?.()
  return true
}

const stepOf = (key: string) => steps[key.length === 1 ? key.toLowerCase() : key]

/** Does what a key means here; false when it means nothing. */
function press(list: HTMLElement, target: HTMLElement, key: string): boolean {
  if (key === '/') return focus(list.querySelector<HTMLElement>('input[type=search], [role=searchbox]'))
  const rows = [...list.querySelectorAll<HTMLElement>('tbody tr[data-row]')]
  const at = rows.findIndex((row) => row.contains(target))
  const row = rows[at]
  const step = stepOf(key)
  // Without a row the arrows scroll, as everywhere.
  if (step !== undefined) {
    const isArrow = key.length > 1
    if (isArrow && target !== row) return false
    return focus(rows[Math.min(Math.max(at + step, 0), rows.length - 1)] ?? null)
  }
  if (!row) return false
  if (key.toLowerCase() === 'x') return click(row.querySelector<HTMLElement>('.sky-box input'))
  // Enter on a link or button within the row is for that.
  return key === 'Enter' && target === row && click(row.querySelector<HTMLElement>('td a'))
}

function focus(element: HTMLElement | null): boolean {
  element?.focus()
  return element !== null
}

function click(element: HTMLElement | null): boolean {
  element?.click()
  return element !== null
}

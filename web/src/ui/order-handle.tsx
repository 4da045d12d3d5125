import { useEffect, useRef } from 'react'
import { DragIcon } from './icons'
import { useDisabled } from './use-disabled'

interface OrderHandleProps {
  /** What a screen reader says: which entry it moves, and by which keys. */
  label: string
  hint: string
  list: string
  at: number
  count: number
  axis?: 'x' | 'y'
  onMove: (from: number, to: number) => void
}

const steps: Record<string, number> = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }

/**
 * Takes hold of an entry of a list to move it: with the pointer, or with the arrow keys. The entry is the nearest element
 * around it with `data-order`. What the pointer needs is loaded apart; the keys work without it.
 */
export function OrderHandle({ label, hint, list, at, count, axis = 'y', onMove }: OrderHandleProps) {
  const ref = useRef<HTMLButtonElement>(null)
  const isOff = useDisabled()
  const newest = useRef({ at, onMove })
  newest.current = { at, onMove }

  useEffect(() => {
    const handle = ref.current
    const item = handle?.closest<HTMLElement>('[data-order]')
    if (!handle || !item || isOff) return
    let isGone = false
    let stop = () => {}
    import('./order-drag').then(
      ({ dragToOrder }) => {
        if (isGone) return
        stop = dragToOrder({
          item,
          handle,
          list,
          axis,
          at: () => newest.current.at,
          onMove: (from, to) => newest.current.onMove(from, to),
        })
      },
      // Without the pointer's part there are still the keys.
      () => undefined,
    )
    return () => {
      isGone = true
      stop()
    }
  }, [list, axis, isOff])

  return (
    <button
      ref={ref}
      type="button"
      className="sky-icon-button sky-order-handle"
      aria-label={label}
      aria-description={hint}
      disabled={isOff}
      onKeyDown={(event) => {
        const to = at + (steps[event.key] ?? 0)
        if (to === at) return
        event.preventDefault()
        if (to >= 0 && to < count) onMove(at, to)
      }}
    >
      <DragIcon aria-hidden />
    </button>
  )
}

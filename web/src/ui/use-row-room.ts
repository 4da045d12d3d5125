import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'

/** Pixels between the rows of a table and the window, and of one row: what the number of rows follows from. */
export interface RowRoom {
  around: number
  row: number
}

/** While somebody drags the edge of the window nothing is measured. */
const rest = 200

/**
 * Tells how much room there is for rows: before the first paint, and again when the window or the row has another
 * height. What else changes on the page (a selection, a remark) does not change the number of rows below somebody's eyes.
 */
export function useRowRoom(
  scroll: RefObject<HTMLElement | null>,
  row: number,
  hear?: (room: RowRoom | undefined) => void,
) {
  const heard = useRef(hear)
  heard.current = hear
  const measured = useRef(0)
  const isWanted = hear !== undefined

  useLayoutEffect(() => {
    if (!isWanted) return
    measured.current = measure(scroll.current, row, heard.current)
  }, [scroll, row, isWanted])

  // The size of the window is outside React.
  useEffect(() => {
    const element = scroll.current
    if (!isWanted || !element || typeof ResizeObserver === 'undefined') return
    let timer: ReturnType<typeof setTimeout> | undefined
    const observer = new ResizeObserver(() => {
      if (window.innerHeight === measured.current) return
      clearTimeout(timer)
      timer = setTimeout(() => {
        measured.current = measure(element, row, heard.current)
      }, rest)
    })
    observer.observe(element)
    return () => {
      clearTimeout(timer)
      observer.disconnect()
    }
  }, [scroll, row, isWanted])
}

/** The height of the window that it was measured in; 0 where nothing has a height, such as behind another tab. */
function measure(element: HTMLElement | null, row: number, hear?: (room: RowRoom | undefined) => void): number {
  const head = element?.querySelector('thead')?.offsetHeight ?? 0
  const height = (element?.clientHeight ?? 0) - head
  const isLaidOut = height > 0
  hear?.(isLaidOut ? { around: window.innerHeight - height, row } : undefined)
  return isLaidOut ? window.innerHeight : 0
}

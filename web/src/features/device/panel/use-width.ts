import { type RefObject, useEffect, useState } from 'react'

/** How wide an element is, in whole pixels. */
export function useWidth(element: RefObject<HTMLElement | null>, initial: number): number {
  const [width, setWidth] = useState(initial)
  // How wide the page is, the browser knows.
  useEffect(() => {
    if (!element.current) return
    const watcher = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)))
    watcher.observe(element.current)
    return () => watcher.disconnect()
  }, [element])
  return width
}

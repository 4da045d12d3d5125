import { type RefObject, useEffect, useState } from 'react'

/** Whether an element has come as near to the window as `ahead` pixels; once it has, it stays so. */
export function useSeen(element: RefObject<HTMLElement | null>, ahead = 200): boolean {
  const [seen, setSeen] = useState(typeof IntersectionObserver === 'undefined')
  // What is in sight, the browser knows.
  useEffect(() => {
    if (seen || !element.current) return
    const watcher = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true),
      { rootMargin: `${ahead}px` },
    )
    watcher.observe(element.current)
    return () => watcher.disconnect()
  }, [element, seen, ahead])
  return seen
}

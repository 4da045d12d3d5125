import { type RefObject, useEffect, useState } from 'react'

/** Whether an element has come near the window; once it has, it stays so. */
export function useSeen(element: RefObject<HTMLElement | null>): boolean {
  const [seen, setSeen] = useState(typeof IntersectionObserver === 'undefined')
  // What is in sight, the browser knows.
  useEffect(() => {
    if (seen || !element.current) return
    const watcher = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true),
      { rootMargin: '200px' },
    )
    watcher.observe(element.current)
    return () => watcher.disconnect()
  }, [element, seen])
  return seen
}

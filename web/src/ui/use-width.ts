import { useLayoutEffect, useRef, useState } from 'react'

/** The inner width of an element in pixels, as it changes; in the first rendering a `guess`, zero where it has none. */
export function useWidth<E extends HTMLElement>(guess?: number) {
  const ref = useRef<E>(null)
  const [width, setWidth] = useState(guess)
  useLayoutEffect(() => {
    const element = ref.current
    if (!element || typeof ResizeObserver === 'undefined') return setWidth(0)
    const measure = () => {
      // A page behind another tab has no width; what fitted before fits when it comes back.
      setWidth((before) => element.clientWidth || (before ?? 0))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, width] as const
}

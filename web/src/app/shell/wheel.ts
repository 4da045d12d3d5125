import { type RefObject, useEffect } from 'react'

/** The sidebar moves three times as far as the wheel says: it is long, and people skim it. */
export const wheelFactor = 3

const pixelsPerLine = 16

/** How far one turn of the wheel moves the sidebar. */
export function wheelStep(event: { deltaY: number; deltaMode: number }, pageHeight: number): number {
  const unit = event.deltaMode === 1 ? pixelsPerLine : event.deltaMode === 2 ? pageHeight : 1
  return event.deltaY * unit * wheelFactor
}

/** Scrolls an element by the wheel, three times the delta. */
export function useWheelScroll(ref: RefObject<HTMLElement | null>) {
  // React registers wheel listeners as passive, so that this one could not stop the browser's own scrolling.
  useEffect(() => {
    const element = ref.current
    if (!element) return
    const turn = (event: WheelEvent) => {
      if (event.ctrlKey) return
      event.preventDefault()
      element.scrollTop += wheelStep(event, element.clientHeight)
    }
    element.addEventListener('wheel', turn, { passive: false })
    return () => element.removeEventListener('wheel', turn)
  }, [ref])
}

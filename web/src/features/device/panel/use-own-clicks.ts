import { type MouseEvent, useRef } from 'react'

/**
 * Handlers for what a click has opened: the second half of a double click belongs to what the first was made on, and
 * acts on nothing that has come under the pointer since.
 */
export function useOwnClicks() {
  const hasBegun = useRef(false)
  const refuse = (event: MouseEvent) => {
    if (event.detail > 1 && !hasBegun.current) event.stopPropagation()
  }
  const press = (event: MouseEvent) => {
    if (event.detail <= 1) hasBegun.current = true
    refuse(event)
  }
  return { onMouseDownCapture: press, onClickCapture: refuse, onDoubleClickCapture: refuse }
}

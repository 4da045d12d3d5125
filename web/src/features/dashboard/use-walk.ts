import { useEffect, useRef } from 'react'

const typing = 'input:not([type=checkbox]), textarea, select, [contenteditable=true], [role=combobox]'

/** J and K walk the links of a list, wherever the focus is; Enter opens the one that has it. Not for who types. */
export function useWalk() {
  const ref = useRef<HTMLOListElement>(null)
  // The keys work wherever the focus is, so the document listens.
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const step = { j: 1, k: -1 }[event.key.toLowerCase()]
      if (!step || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      const target = event.target as HTMLElement
      if (ref.current?.checkVisibility?.() === false || target.closest(typing)) return
      if (document.querySelector('[role=dialog], [role=alertdialog]')?.checkVisibility?.()) return
      const links = [...(ref.current?.querySelectorAll('a') ?? [])]
      const at = links.indexOf(target as HTMLAnchorElement)
      links[Math.min(Math.max(at + step, 0), links.length - 1)]?.focus()
      if (links.length > 0) event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  return ref
}
